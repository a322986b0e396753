import {
  afm,
  type PageQuery,
  pageQuery,
  type Schema,
  strict,
} from "@insurance-gateway/core/contract";

/** The parameters of a search for applications. */
export interface ApplicationSearch extends PageQuery {
  /** The customer's tax identification number (ΑΦΜ), 9 digits. Source: specification, endpoint 6. */
  clientAfm: string;
}

export const applicationSearch: Schema<ApplicationSearch> = strict<ApplicationSearch>({
  clientAfm: afm(),
  ...pageQuery(),
});
