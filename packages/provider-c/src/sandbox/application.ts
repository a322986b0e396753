/** An application in the simulated insurer's store, with only the data for its product information document. */
export interface KeptApplication {
  readonly id: string;
  /** The name of the application's product. */
  readonly product: string;
  readonly cover: CoverPackage;
}

/** The chosen package of the product. */
export type CoverPackage = "BASIC" | "FULL" | "COMPREHENSIVE";

const product = "Ασφάλιση αυτοκινήτου ιδιωτικής χρήσης";

/** The insurer's initial applications, one for each package. */
export const applications: readonly KeptApplication[] = [
  { id: "C-0001", product, cover: "BASIC" },
  { id: "C-0002", product, cover: "FULL" },
  { id: "C-0003", product, cover: "COMPREHENSIVE" },
];
