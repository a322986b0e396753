import { Refusal, SOON_SECONDS } from "@insurance-gateway/core/runtime";
import { FILES_MOVED, type StoreUnavailableError } from "./faults.ts";

/**
 * The refusal of a submission while none can be stored or read: without a record nothing is sent.
 * @param fault - what the store reported
 */
export function storeUnavailable(fault?: StoreUnavailableError): Refusal {
  return new Refusal("STORE_UNAVAILABLE", {
    detail:
      fault?.detail === FILES_MOVED
        ? "The files of the gateway's store of submissions were removed, replaced or overwritten, or have another hard link. Its operator has to undo that and, if they were overwritten, to restart the gateway."
        : "The gateway cannot reach its store of submissions. Try again later.",
    headers: { "retry-after": String(SOON_SECONDS) },
  });
}
