/** The broker's data of a customer. */
export interface Customer {
  /** The broker's own number of the case. */
  readonly caseNumber: string;
  /** Tax identification number (ΑΦΜ), 9 digits. */
  readonly afm: string;
  readonly fullName: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
  /** The first day of the cover, `YYYY-MM-DD`. */
  readonly coverFrom: string;
  readonly car: {
    readonly plate: string;
    /** The name of the make: `Toyota`. */
    readonly make: string;
    /** The model's code or name. */
    readonly model: string;
  };
}
