import { Refusal } from "../problems/refusal.ts";
import { SOON } from "./unknown.ts";

/** What is answered while submissions cannot be kept or read: without a record, nothing is sent. */
export function storeUnavailable(): Refusal {
  return new Refusal("STORE_UNAVAILABLE", {
    detail: "The gateway's store of submissions is away, so nothing was sent; try again later.",
    headers: SOON,
  });
}
