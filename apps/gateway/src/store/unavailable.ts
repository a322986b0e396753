import { Refusal, SOON_SECONDS } from "@insurance-gateway/core/runtime";
import { FILES_MOVED, type StoreUnavailableError } from "./faults.ts";

/**
 * Returns the refusal of a submission while the store is unusable: the gateway sends no submission without a record.
 * @param fault - the store's error
 */
export function storeUnavailableRefusal(fault?: StoreUnavailableError): Refusal {
  return new Refusal("STORE_UNAVAILABLE", {
    detail:
      fault?.detail === FILES_MOVED
        ? "The files of the gateway's store of submissions were removed, replaced or overwritten, or have another hard link. Its operator has to undo that and, if they were overwritten, to restart the gateway."
        : "The gateway cannot reach its store of submissions. Try again later.",
    headers: { "retry-after": String(SOON_SECONDS) },
  });
}
