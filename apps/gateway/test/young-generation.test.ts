import { once } from "node:events";
import { makeGatewayFolder, startGatewayProcess } from "@insurance-gateway/running-gateway";
import { expect, it } from "vitest";
import { insurerConfiguration } from "./harness/gateway-in-process.ts";

const MB = 1_048_576;
/** Between the gateway's own limit, 32 MB, which V8 exceeds by a few pages at times, and that of the operator, 64 MB. */
const BETWEEN = 48 * MB;

/**
 * Runs in the gateway's process: on a signal it makes objects that live for a while, as requests under load do, and prints
 * how large the memory for new objects was at most.
 */
const load = `
  import { writeSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  import { getHeapSpaceStatistics } from "node:v8";
  const newSpace = () => getHeapSpaceStatistics().find((one) => one.space_name === "new_space").space_size;
  if (isMainThread) process.on("SIGUSR2", async () => {
    let most = 0;
    for (let turn = 0; turn < 400 && most <= ${BETWEEN}; turn += 1) {
      const living = Array.from({ length: 50_000 }, (_, index) => ({ index, text: [index] }));
      // The gateway observes collections between turns.
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, newSpace(), living.length);
    }
    writeSync(2, "\\nat most " + most + " bytes\\n");
  });
`;

/** The largest memory for new objects that a gateway under load takes, in bytes. */
async function mostUnderLoad(options = ""): Promise<number> {
  const folder = makeGatewayFolder({
    providers: [insurerConfiguration("d", "http://127.0.0.1:9")],
  });
  const gateway = await startGatewayProcess(folder.path, {
    NODE_OPTIONS: `${options} --import=data:text/javascript,${encodeURIComponent(load)}`,
  });
  gateway.child.kill("SIGUSR2");
  const printed = /at most (\d+) bytes/;
  while (!printed.test(gateway.output())) await once(gateway.child.stderr ?? gateway.child, "data");
  await gateway.stop();
  folder.remove();
  return Number(printed.exec(gateway.output())?.[1]);
}

it("the memory for new objects grows under load, up to 32 MB", async () => {
  const most = await mostUnderLoad();
  expect(most).toBeGreaterThan(8 * MB);
  expect(most).toBeLessThan(BETWEEN);
});

it.each(["--max-semi-space-size=64", "--max_semi_space_size=64"])(
  "an operator's own limit overrides it: %s",
  async (option) => {
    const most = await mostUnderLoad(option);
    expect(most).toBeGreaterThan(BETWEEN);
  },
);
