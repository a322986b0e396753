import { type Mapping, plainText } from "@insurance-gateway/adapter";

/** What every request and every answer has around it. */
export const header: Readonly<Record<string, string>> = { CultureName: "GR", ServiceVersion: "1" };

/** The lists that one call gives; each is a bit, and a request adds up the bits of those it wants. */
export const lists: Readonly<Record<"brands" | "municipalities" | "taxOffices", number>> = {
  brands: 1,
  municipalities: 2,
  taxOffices: 8,
};

/** An item of a list. It also has a number of the insurer's own, which nothing here needs. */
export const itemRows: Mapping = [
  ["/code", "/ItemCode", plainText],
  ["/name", "/ItemName", plainText],
];
