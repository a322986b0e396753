import { type Mapping, plainText } from "@insurance-gateway/adapter";

/** The members of every request and every answer. */
export const header: Readonly<Record<string, string>> = { CultureName: "GR", ServiceVersion: "1" };

/** The lists that one call returns. Each one is a bit, and a request adds the bits of the lists that it needs. */
export const lists: Readonly<Record<"brands" | "municipalities" | "taxOffices", number>> = {
  brands: 1,
  municipalities: 2,
  taxOffices: 8,
};

/** An item of a list. It also has a number of the insurer, which is not used here. */
export const itemRows: Mapping = [
  ["/code", "/ItemCode", plainText],
  ["/name", "/ItemName", plainText],
];
