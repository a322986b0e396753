import { type Mapping, plainText } from "@insurance-gateway/adapter";

/** The fields of the JSON object `Header`, which every request and every answer contains. */
export const header: Readonly<Record<string, string>> = { CultureName: "GR", ServiceVersion: "1" };

/** The lists that one call can return. Each list is a bit, and a request contains the sum of the requested lists. */
export const lists: Readonly<Record<"brands" | "municipalities" | "taxOffices", number>> = {
  brands: 1,
  municipalities: 2,
  taxOffices: 8,
};

/** The fields of a list's item, as the insurer writes them. The insurer's number of the item is not used. */
export const itemRows: Mapping = [
  ["/code", "/ItemCode", plainText],
  ["/name", "/ItemName", plainText],
];
