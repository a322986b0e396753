import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../../src/store/open-store.ts";
import type { SubmissionStore } from "../../../src/store/store.ts";
import { insurerConfiguration, startInProcess } from "../../harness/gateway-in-process.ts";
import { holdTime } from "../../harness/held-time.ts";

it("the gateway's log names each scheduled task that fails", async () => {
  const opened: SubmissionStore[] = [];
  const time = holdTime();
  const data = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const gateway = await startInProcess(
    { providers: [insurerConfiguration("d", "http://127.0.0.1:9")] },
    {},
    {
      time,
      async openStore() {
        const store = await openStore({ data, databaseUrl: undefined }, "serve");
        opened.push(store);
        return store;
      },
    },
  );
  onTestFinished(() => gateway.stop());
  for (const store of opened) await store.close();
  await time.tick();
  const tasks = gateway.log
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === "a scheduled task fails")
    .map(({ failure, task }) => [task, failure]);
  expect(tasks).toEqual(
    [
      "running time",
      "leases",
      "forgetting",
      "store",
      "accounts",
      "reconciliation of provider-d",
    ].map((task) => [task, "closed"]),
  );
});
