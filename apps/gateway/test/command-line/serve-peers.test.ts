import { fork } from "node:child_process";
import { on } from "node:events";
import { fileURLToPath } from "node:url";
import { makeGatewayFolder, programEnvironment } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import type { FromProcess } from "../../src/processes/peers.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";

const program = fileURLToPath(new URL("serve-process.ts", import.meta.url));

it("one of several processes reports what it prints otherwise, and how long it takes to end at most", async () => {
  const provider = insurerConfiguration("a", "http://127.0.0.1:9");
  const folder = makeGatewayFolder({
    providers: [{ ...provider, timeouts: { totalMs: 2_000, submissionMs: 3_000 } }],
    shutdown: { noticeMs: 100 },
  });
  const child = fork(program, [], {
    cwd: folder.path,
    execArgv: ["--conditions=@insurance-gateway/source", "--no-warnings"],
    env: programEnvironment({ PORT: "0", OPERATIONS_PORT: "0", GATEWAY_START_SECRET: "secret" }),
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
    folder.remove();
  });
  let printed = "";
  child.stdout?.on("data", (text) => (printed += text));
  const messages = on(child, "message");
  const next = async (): Promise<FromProcess> => (await messages.next()).value?.[0];

  const serving = await next();
  const greeting = "greeting" in serving ? serving.greeting : "";
  const addresses = /http:\/\/127\.0\.0\.1:\d+/g;
  expect(greeting.replaceAll(addresses, "ADDRESS").split("\n")).toEqual([
    "",
    "  Insurance Gateway   ADDRESS",
    "  Reference           ADDRESS/reference#start=secret",
    "  Operations          ADDRESS",
    "  A token             TOKEN=$(insurance-gateway token)",
    "  A first call",
    '    curl -H "Authorization: Bearer $TOKEN" ADDRESS/provider-a/auto/brands',
    "",
    "",
  ]);
  // Its notice, the longest call, and twenty seconds.
  expect(serving).toEqual({ type: "serving", greeting, endsWithinMs: 100 + 3_000 + 20_000 });
  child.send({ type: "replaced" });
  expect(await next()).toEqual({ type: "ending", endsWithinMs: 5_000 + 3_000 + 20_000 });
  expect(printed).not.toContain("Insurance Gateway");
});
