import { join } from "node:path";
import { loadConfiguration } from "@insurance-gateway/gateway/folder";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { vi } from "vitest";
import {
  createEncryption,
  type Encryption,
  insurerConfiguration,
  opening,
  openStoreSecret,
  openSubmissionKeys,
  type SubmissionStore,
} from "./gateway.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

/** A folder with the store of a running gateway, in which commands run. */
export interface StoreFolder {
  readonly folder: GatewayFolder;
  readonly store: SubmissionStore;
  readonly encryption: Encryption;
  /** Runs a command. While the gateway serves, the command uses the gateway's store: opening a store is slow. */
  readonly run: RunInProcess;
  /** Stops the gateway and keeps the folder. */
  stopServing(): Promise<void>;
  remove(): Promise<void>;
}

/** Creates a folder, and opens the store in the folder as a gateway does. */
export async function makeStoreFolder(configuration: object = {}): Promise<StoreFolder> {
  const folder = makeGatewayFolder({
    providers: [insurerConfiguration("d", "http://127.0.0.1:1")],
    ...configuration,
  });
  const loaded = loadConfiguration({}, folder.path);
  const encryption = createEncryption(await openSubmissionKeys(loaded, {}, "serve"));
  const place = { data: join(folder.path, "data"), databaseUrl: undefined };
  const store = await opening.openStore(place, "serve");
  await openStoreSecret(store, encryption, "the test");
  const run = runsInProcess({ folder: folder.path, address: "" });
  let isServing = true;
  const stopServing = async (): Promise<void> => {
    if (isServing) await store.close();
    isServing = false;
  };
  return {
    folder,
    store,
    encryption,
    async run(parameters, options) {
      if (!isServing) return run(parameters, options);
      const opened = new Set<object>();
      const mock = vi.spyOn(opening, "openStore").mockImplementation(async () => {
        const one: SubmissionStore = { ...store, close: async () => void opened.delete(one) };
        opened.add(one);
        return one;
      });
      const ended = await run(parameters, options).finally(() => mock.mockRestore());
      if (opened.size > 0) throw new Error("The command has not closed its store");
      return ended;
    },
    stopServing,
    async remove() {
      await stopServing();
      folder.remove();
    },
  };
}
