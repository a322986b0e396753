/**
 * The content of an Insurance Product Information Document: the nine parts of Regulation (EU) 2017/1469 in their fixed
 * order. The sandbox writes it as a PDF with the fixed headings and icons.
 */
export interface Ipid {
  /** The ID of the application to which the document belongs. */
  readonly reference: string;
  readonly manufacturer: IpidManufacturer;
  readonly product: string;
  /** The statement that other documents have the complete information (article 2 of the regulation). */
  readonly statement: string;
  /** Answers "What is this type of insurance?" */
  readonly type: string;
  /** Answers "What is insured?", with the sums insured. */
  readonly insured: readonly string[];
  /** Covers at an extra cost. The document shows them without an icon. */
  readonly optional: readonly string[];
  /** Answers "What is not insured?" */
  readonly notInsured: readonly string[];
  /** Answers "Are there any restrictions on cover?" */
  readonly restrictions: readonly string[];
  /** Answers "Where am I covered?" */
  readonly where: readonly string[];
  /** Answers "What are my obligations?" */
  readonly obligations: readonly string[];
  /** Answers "When and how do I pay?" */
  readonly payment: string;
  /** Answers "When does the cover start and end?" */
  readonly period: string;
  /** Answers "How do I cancel the contract?" */
  readonly cancellation: string;
}

/** The manufacturer of the product (article 1 of Regulation (EU) 2017/1469). */
export interface IpidManufacturer {
  readonly name: string;
  readonly memberState: string;
  readonly regulatoryStatus: string;
  readonly authorisationNumber: string;
}
