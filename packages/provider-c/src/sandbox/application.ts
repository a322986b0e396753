/** An application as the simulated insurer keeps it: only what its product information document depends on. */
export interface KeptApplication {
  readonly id: string;
  /** The product the application is for, as the insurer calls it. */
  readonly product: string;
  readonly cover: CoverPackage;
}

/** How much of the product was chosen. */
export type CoverPackage = "BASIC" | "FULL" | "COMPREHENSIVE";

const product = "Ασφάλιση αυτοκινήτου ιδιωτικής χρήσης";

/** The applications the insurer holds from the start, one of each package. */
export const applications: readonly KeptApplication[] = [
  { id: "C-0001", product, cover: "BASIC" },
  { id: "C-0002", product, cover: "FULL" },
  { id: "C-0003", product, cover: "COMPREHENSIVE" },
];
