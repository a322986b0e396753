import type { SubmissionStore } from "../../src/store/store.ts";
import { startInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import type { CalledGateway } from "../harness/store-calls.ts";

/** A gateway with a store that the test opened, because no configuration can limit the size of a store. */
export interface StoreGateway extends CalledGateway {
  readonly time: HeldTime;
  /** Stops the gateway, and closes the store. */
  stop(): Promise<void>;
}

/** Starts a gateway whose clock does not advance. */
export async function startStoreGateway(
  store: SubmissionStore,
  content: object,
): Promise<StoreGateway> {
  const time = holdTime();
  const gateway = await startInProcess(content, {}, { time, openStore: async () => store });
  return { ...gateway, time };
}
