/**
 * The content of an Insurance Product Information Document: the nine parts of Regulation (EU) 2017/1469 in their fixed
 * order. The sandbox writes it as a PDF with the fixed headings and icons.
 */
export interface Ipid {
  /** The application the document belongs to. */
  readonly reference: string;
  readonly manufacturer: IpidManufacturer;
  readonly product: string;
  /** The statement that complete information is in other documents (article 2). */
  readonly statement: string;
  /** What is this type of insurance? */
  readonly type: string;
  /** What is insured, and the sums insured? */
  readonly insured: readonly string[];
  /** Covers that cost extra; they get no mark. */
  readonly optional: readonly string[];
  /** What is not insured? */
  readonly notInsured: readonly string[];
  /** Are there any restrictions on cover? */
  readonly restrictions: readonly string[];
  /** Where am I covered? */
  readonly where: readonly string[];
  /** What are my obligations? */
  readonly obligations: readonly string[];
  /** When and how do I pay? */
  readonly payment: string;
  /** When does the cover start and end? */
  readonly period: string;
  /** How do I cancel the contract? */
  readonly cancellation: string;
}

/** Who makes the product (article 1). */
export interface IpidManufacturer {
  readonly name: string;
  readonly memberState: string;
  readonly regulatoryStatus: string;
  readonly authorisationNumber: string;
}
