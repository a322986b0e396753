import { type Adapter, jsonDialect } from "@insurance-gateway/adapter";
import { check, type FailureRow } from "@insurance-gateway/core/contract";
import { header, itemRows, lists } from "./dialect.ts";
import { providerA } from "./provider.ts";
import { brandList } from "./schemas/brand-list.ts";

const errorFormat = {
  status: 200,
  media: "application/json",
  at: "/Errors/0/ErrorCode",
  why: "An answer with Success false says that nothing was done, and its code why.",
} as const;

/** The rows that interpret the insurer's error answers. The insurer refuses requests in answers with the status 200. */
const failures: readonly FailureRow[] = [
  { ...errorFormat, is: ["AUTH"], code: "PROVIDER_AUTH_FAILED", outcome: "rejected" },
  { ...errorFormat, is: ["CLOSED"], code: "PROVIDER_UNAVAILABLE", outcome: "rejected" },
  { ...errorFormat, is: ["QUOTA"], code: "TOO_MANY", outcome: "rejected" },
  { ...errorFormat, is: ["SELECTOR", "INPUT"], code: "INVALID_INPUT", outcome: "rejected" },
  { ...errorFormat, is: ["NOT_FOUND"], code: "RESOURCE_NOT_FOUND", outcome: "rejected" },
];

/** The adapter for Provider A's own API, modelled on insurers' publications and never run against an insurer. */
export const adapter: Adapter = jsonDialect(providerA, {
  failures,
  envelope: { request: { Header: header }, success: "/Success" },
  calls: {
    listBrands: {
      method: "POST",
      path: "/MotorService/GetListItems",
      body: [{ theirs: "/ListItems", always: lists.brands }],
      value: [{ list: ["/items", "/MotorItems"], each: itemRows }],
      finish: sortedItems,
      unread: ["/Header", "/Errors", "/MotorItems/*/ItemID"],
    },
  },
});

/** Sorts the items by name, and removes the insurer's entry "nothing selected" with code 0. */
function sortedItems(value: unknown): unknown {
  const checked = check(brandList, value);
  if (!checked.valid) return undefined;
  const { compare } = new Intl.Collator("en");
  const chosen = checked.value.items.filter(
    ({ code }) => !/^-?\d+$/.test(code) || Number(code) > 0,
  );
  // Sort equal names by code, because the insurer's order has no meaning.
  const byName = chosen.toSorted(
    (one, other) => compare(one.name, other.name) || (one.code < other.code ? -1 : 1),
  );
  return { items: byName };
}
