/** The broker's data of a customer. */
export interface Customer {
  /** The broker's own number of the case. */
  readonly caseNumber: string;
  /** Tax identification number (ΑΦΜ), 9 digits. */
  readonly afm: string;
  readonly fullName: string;
  /** The date of birth, `YYYY-MM-DD`. */
  readonly birthDate: string;
  /** The first day of the cover, `YYYY-MM-DD`. */
  readonly coverFrom: string;
  readonly car: {
    readonly plate: string;
    /** The name of the car's make, such as `Toyota`. */
    readonly make: string;
    /** The code or the name of the car's model. */
    readonly model: string;
  };
}
