import { randomInt } from "node:crypto";
import type { Ended, GatewayFolder, GatewayProcess } from "@insurance-gateway/running-gateway";
import type { FaultInjectingInsurer, FaultName } from "@insurance-gateway/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FailingInsurer, startFailingInsurer } from "./failing-insurer.ts";
import { applicationFlags, keyIn, type Run, runsIn } from "./program.ts";

let failing: FailingInsurer;
let insurer: FaultInjectingInsurer;
let folder: GatewayFolder;
let gateway: GatewayProcess;
let run: Run;
let afm: string;

beforeAll(async () => {
  failing = await startFailingInsurer();
  ({ insurer, folder, gateway } = failing);
  run = runsIn({ folder: folder.path, address: gateway.address });
});
afterAll(() => failing.stop());
beforeEach(() => {
  afm = String(randomInt(100_000_000, 999_999_999));
});

/** Sends the application while the insurer has the fault. */
async function applyUnder(fault: FaultName | null, ...more: readonly string[]): Promise<Ended> {
  if (fault !== null) insurer.script(fault);
  const ended = await run(application(...more));
  // The report never contains data of the customer.
  expect(ended.stderr).not.toContain(afm);
  expect(ended.stderr).not.toContain("Ελένη");
  return ended;
}

function application(...more: readonly string[]): readonly string[] {
  return ["call", "provider-d", "createApplication", ...applicationFlags(afm), ...more];
}

function sent(): number {
  return insurer.arrivals().filter(({ method, body }) => method === "POST" && body.includes(afm))
    .length;
}

describe("the outcome of a submission", () => {
  it("a submission with a given idempotency key is sent to the insurer only once, even if the command runs again", async () => {
    const first = await applyUnder(null, "--idempotency-key=mine-1");
    const again = await applyUnder(null, "--idempotency-key=mine-1", "--verbose");
    expect([first.stderr, again.stdout, sent()]).toEqual(["", first.stdout, 1]);
    expect(again.stderr).toContain("  idempotency-replayed: true\n");
  });

  it("the command `call` ends with exit code 1 and prints the idempotency key if a submission reaches no gateway", async () => {
    const ended = await run(application("--gateway=http://127.0.0.1:1"));
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(keyIn(ended)).toMatch(/^[0-9a-f-]{36}$/);
    expect(ended.stderr).toMatch(/^error: CONNECTION_FAILED$/m);
    expect(ended.stderr).toMatch(/^ {2}the insurer +got nothing \(not_sent\)$/m);
    expect(ended.stderr).toMatch(
      /what to do +check that a gateway runs at http:\/\/127\.0\.0\.1:1/,
    );
  });

  it("the command `call` ends with exit code 4 if a submission's answer is lost, and prints commands that find the application", async () => {
    // The gateway's `Retry-After` is longer than this timeout, so the client does not wait.
    const lost = await applyUnder("execute-then-504", "--timeout=2");
    const key = keyIn(lost);
    expect(lost).toMatchObject({ code: 4, stdout: "" });
    expect(lost.stderr).toMatch(/^error: OUTCOME_UNKNOWN \(504\): The insurer may have acted$/m);
    expect(lost.stderr).toMatch(/^ {2}the insurer +may have acted \(unknown\)$/m);
    expect(lost.stderr).toMatch(new RegExp(`^ {2}key +${key}$`, "m"));
    const [, again = ""] = /^ +insurance-gateway (call .*)$/m.exec(lost.stderr) ?? [];
    expect(again).toBe(
      `call provider-d createApplication --policy-start-date=… --policy-end-date=… --vehicle-plate-number=… --vehicle-manufacturer-code=… --vehicle-model-code=… --holder-afm=… --holder-full-name=… --timeout=2 --idempotency-key ${key}`,
    );
    const [, ask = ""] = /^ +insurance-gateway (submissions ask .*)$/m.exec(lost.stderr) ?? [];
    const asked = await run(ask.split(" "));
    expect(asked.code).toBe(0);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      submissionId: ask.split(" ").at(-1),
      endpoint: "createApplication",
      state: expect.stringMatching(/^(outcome_unknown|succeeded)$/),
    });
    const found = await run(application("--idempotency-key", key));
    expect(found.code).toBe(0);
    expect(JSON.parse(found.stdout)).toMatchObject({ holder: { afm } });
    expect(sent()).toBe(1);
  });

  it("the command `call` ends with exit code 4 and prints the idempotency key if Ctrl-C cancels a submission", async () => {
    insurer.script("silence");
    const arrived = insurer.nextArrival();
    const ended = await run(application(), {
      started: (child) => void arrived.then(() => child.kill("SIGINT")),
    });
    expect(ended.code).toBe(4);
    expect(ended.stderr).toMatch(/^error: CANCELLED$/m);
    expect(ended.stderr).toContain(`--idempotency-key ${keyIn(ended)}\n`);
  });
});
