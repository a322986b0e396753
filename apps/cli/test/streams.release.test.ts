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

describe("a submission that was carried out", () => {
  it("and whose answer finds no room ends with 5, its key and the insurer's identifier", async () => {
    const ended = await script(`${create} > /dev/full`);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toMatch(/^error: carried out, its answer could not be written$/m);
    expect(ended.stderr).toMatch(/^ {2}what happened +standard output cannot .* \(ENOSPC\)$/m);
    expect(ended.stderr).toMatch(/^ {2}its identifier +D-\d{6}$/m);
    expect(ended.stderr).toMatch(new RegExp(`^ {2}key +${keyIn(ended)}$`, "m"));
    const [, again = ""] = /^ +(insurance-gateway call .*)$/m.exec(ended.stderr) ?? [];
    const found = await script(again);
    expect([found.code, JSON.parse(found.stdout)]).toMatchObject([0, { holder: { afm } }]);
    expect(sent()).toBe(1);
  });

  it("and whose reader has gone ends with 5", async () => {
    const { stderr, stdout } = await script(`${create} | true; echo "$PIPESTATUS" >&2`);
    expect([stdout, stderr]).toEqual(["", expect.stringMatching(/\n5\n$/)]);
    expect(stderr).toMatch(/^ {2}its identifier +D-\d{6}$/m);
  });

  it("says so to a program as one object of JSON", async () => {
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

  it("ends with 5 although nothing can be printed about it", async () => {
    expect((await script(`${create} > /dev/full 2> /dev/full`)).code).toBe(5);
  });
});

describe("a submission whose outcome is not known", () => {
  it.each([
    [`${create} --timeout 2 2> >(head -1 > /dev/null)`],
    [`${create} --timeout 2 2> /dev/full`],
    [`${create} --timeout 2 2>&- `],
    [`${create} --timeout 2 --verbose 2>&1 | head -1 > /dev/null; exit "$PIPESTATUS"`],
  ])(
    "a submission with an unknown outcome ends with 4 although its output is not read: %s",
    async (text) => {
      // The gateway says to come again later than the call may take, so that nothing waits.
      await insurer.behave("server-error");
      const { code } = await script(text);
      await insurer.behave(null);
      expect([code, sent()]).toEqual([4, 1]);
    },
  );
});

describe("a call that changes nothing", () => {
  it("ends with 5 when its answer finds no room, and can be run again", async () => {
    const { code, stderr } = await script(`${search} ${afm} > /dev/full`);
    expect([code, stderr]).toEqual([
      5,
      expect.stringMatching(/^error: answered, its answer could not be written$/m),
    ]);
    expect(stderr).toMatch(/^ {2}what to do +run it again$/m);
  });

  it("ends with 0 when the reader of its answer has read enough", async () => {
    const { code, stderr } = await script(`${search} ${afm} | true; exit "$PIPESTATUS"`);
    expect([code, stderr]).toEqual([0, ""]);
  });
});

describe("a list", () => {
  it.each([
    ["insurance-gateway routes > /dev/full", 1],
    ["insurance-gateway --help > /dev/full", 1],
    ['insurance-gateway routes | true; exit "$PIPESTATUS"', 0],
    ['insurance-gateway --help | true; exit "$PIPESTATUS"', 0],
  ])(
    "a list that cannot be written is a failure, unless its reader has read enough: %s",
    async (text, code) => {
      expect((await script(text)).code).toBe(code);
    },
  );
});

describe("serving", () => {
  it("serving without a reader of its output does not end with 0", async () => {
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
