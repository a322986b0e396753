import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ended, GatewayFolder, GatewayProcess } from "@insurance-gateway/running-gateway";
import type { FaultInjectingInsurer } from "@insurance-gateway/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FailingInsurer, startFailingInsurer } from "./failing-insurer.ts";
import { applicationBody } from "./gateway.ts";
import { keyIn, runScript } from "./program.ts";

let failing: FailingInsurer;
let insurer: FaultInjectingInsurer;
let folder: GatewayFolder;
let gateway: GatewayProcess;
let afm: string;

beforeAll(async () => {
  failing = await startFailingInsurer({
    breaker: { failuresInRow: 10_000, minCalls: 10_000 },
  });
  ({ insurer, folder, gateway } = failing);
});
afterAll(() => failing.stop());
beforeEach(() => {
  afm = String(randomInt(100_000_000, 999_999_999));
  const body = { ...applicationBody(), holder: { afm, fullName: "Ελένη" } };
  writeFileSync(join(folder.path, "app.json"), JSON.stringify(body));
});

const create = "insurance-gateway call provider-d createApplication --body app.json";
const search = "insurance-gateway call provider-d searchApplications --client-afm";

function script(text: string): Promise<Ended> {
  return runScript({ folder: folder.path, address: gateway.address }, text);
}

function sent(): number {
  return insurer.arrivals().filter(({ method, body }) => method === "POST" && body.includes(afm))
    .length;
}

describe("a submission that the insurer carried out", () => {
  it("the command `call` ends with exit code 5 and prints the insurer's identifier if a submission's answer cannot be written", async () => {
    const ended = await script(`${create} > /dev/full`);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toMatch(
      /^error: the insurer acted, but the answer could not be written$/m,
    );
    expect(ended.stderr).toMatch(/^ {2}what happened +standard output cannot .* \(ENOSPC\)$/m);
    expect(ended.stderr).toMatch(/^ {2}its identifier +D-\d{6}$/m);
    expect(ended.stderr).toMatch(new RegExp(`^ {2}key +${keyIn(ended)}$`, "m"));
    const [, again = ""] = /^ +(insurance-gateway call .*)$/m.exec(ended.stderr) ?? [];
    const found = await script(again);
    expect([found.code, JSON.parse(found.stdout)]).toMatchObject([0, { holder: { afm } }]);
    expect(sent()).toBe(1);
  });

  it("the command `call` ends a submission with exit code 5 if the program that reads the output has ended", async () => {
    const { stderr, stdout } = await script(`${create} | true; echo "$PIPESTATUS" >&2`);
    expect([stdout, stderr]).toEqual(["", expect.stringMatching(/\n5\n$/)]);
    expect(stderr).toMatch(/^ {2}its identifier +D-\d{6}$/m);
  });

  it("the command `call` with --output json reports a submission as one JSON object even if the answer cannot be written", async () => {
    const { code, stderr } = await script(
      `${create} --idempotency-key=k-${afm} --output json > /dev/full`,
    );
    expect(code).toBe(5);
    expect(JSON.parse(stderr)).toMatchObject({
      code: "ANSWER_NOT_WRITTEN",
      outcome: "executed",
      retry: "same_key",
      idempotencyKey: `k-${afm}`,
      submissionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      insurerId: expect.stringMatching(/^D-\d{6}$/),
    });
  });

  it("the command `call` ends with exit code 5 if neither a submission's answer nor standard error can be written", async () => {
    expect((await script(`${create} > /dev/full 2> /dev/full`)).code).toBe(5);
  });
});

describe("a submission with an unknown outcome", () => {
  it.each([
    [`${create} --timeout 2 2> >(head -1 > /dev/null)`],
    [`${create} --timeout 2 2> /dev/full`],
    [`${create} --timeout 2 2>&- `],
    [`${create} --timeout 2 --verbose 2>&1 | head -1 > /dev/null; exit "$PIPESTATUS"`],
  ])(
    "the command `call` ends with exit code 4 after a submission with the outcome `unknown`, even if the output is not read: %s",
    async (text) => {
      // The gateway's `Retry-After` is longer than the timeout, so the client does not wait.
      await insurer.behave("server-error");
      const { code } = await script(text);
      await insurer.behave(null);
      expect([code, sent()]).toEqual([4, 1]);
    },
  );
});

describe("a call that changes nothing at the insurer", () => {
  it("the command `call` ends with exit code 5 if a search's answer cannot be written, and advises to run the command again", async () => {
    const { code, stderr } = await script(`${search} ${afm} > /dev/full`);
    expect([code, stderr]).toEqual([
      5,
      expect.stringMatching(/^error: the answer could not be written$/m),
    ]);
    expect(stderr).toMatch(/^ {2}what to do +run the command again$/m);
  });

  it("the command `call` ends a search with exit code 0 if the program that reads the output has ended", async () => {
    const { code, stderr } = await script(`${search} ${afm} | true; exit "$PIPESTATUS"`);
    expect([code, stderr]).toEqual([0, ""]);
  });
});

describe("a list or a help text", () => {
  it.each([
    ["insurance-gateway routes > /dev/full", 1],
    ["insurance-gateway --help > /dev/full", 1],
    ['insurance-gateway routes | true; exit "$PIPESTATUS"', 0],
    ['insurance-gateway --help | true; exit "$PIPESTATUS"', 0],
  ])(
    "a command fails if a list or a help text cannot be written, but not if the program that reads the output has ended: %s",
    async (text, code) => {
      expect((await script(text)).code).toBe(code);
    },
  );
});

describe("the command `serve`", () => {
  it("the command `serve` fails if the program that reads its output has ended", async () => {
    const own = join(folder.path, "serving");
    mkdirSync(own);
    const text = 'insurance-gateway serve | (exit 0); exit "$PIPESTATUS"';
    const { code } = await runScript({ folder: folder.path, address: "" }, text, {
      GATEWAY_DATA: own,
      PORT: "0",
      OPERATIONS_PORT: "0",
    });
    expect(code).not.toBe(0);
  });
});
