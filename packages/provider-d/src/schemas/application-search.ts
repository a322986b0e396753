import type { PageQuery, Schema } from "@insurance-gateway/core/contract";
import { afm, pageQuery, strict } from "@insurance-gateway/core/schema";

/** The parameters of a search for applications. */
export interface ApplicationSearch extends PageQuery {
  /**
   * The customer's tax identification number (ΑΦΜ), 9 digits. Source: specification, endpoint 6.
   * @el ΑΦΜ πελάτη
   */
  clientAfm: string;
}

export const applicationSearch: Schema<ApplicationSearch> = strict<ApplicationSearch>({
  clientAfm: afm(),
  ...pageQuery(),
});
