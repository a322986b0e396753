import { randomUUID } from "node:crypto";
import {
  developmentToken,
  type Ended,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  runCommand,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { type FaultInjectingInsurer, startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { problemIn } from "../harness/problem.ts";
import { stateOf } from "../harness/store-calls.ts";

let insurer: FaultInjectingInsurer;
let folder: GatewayFolder;
let process: GatewayProcess;
let token: string;

beforeAll(async () => {
  insurer = await startFaultInjectingInsurer(createApplicationsInsurer());
  folder = makeGatewayFolder({
    providers: [
      {
        ...insurerConfiguration("d", insurer.baseUrl),
        timeouts: { connectMs: 1_000, totalMs: 1_000, submissionMs: 1_000 },
        breaker: { failuresInRow: 1_000, minCalls: 1_000 },
      },
    ],
  });
  process = await startGatewayProcess(folder.path);
  token = await developmentToken(folder.path);
});
afterAll(async () => {
  await process.stop();
  await insurer.close();
  folder.remove();
});

function submissions(...parameters: readonly string[]): Promise<Ended> {
  return runCommand(folder.path, ["submissions", ...parameters]);
}

const afm = "123456789";
const body = applicationBody(afm);

function submit(key: string | null, sent: object = body): Promise<Response> {
  const headers = key === null ? {} : { "idempotency-key": key };
  return submitApplication({ address: process.address, token }, sent, headers);
}

/** Submits an application whose outcome stays unknown, and returns its id. */
async function submitUnknown(
  key: string,
  fault: "server-error" | "execute-then-reset" = "server-error",
  sent?: object,
): Promise<string> {
  await insurer.behave(fault);
  const { reconciliation } = await problemIn(await submit(key, sent));
  return String(Object(reconciliation).href).split("/").at(-1) ?? "";
}

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

describe("the operator's commands while the gateway runs", () => {
  it("the command `submissions resolve` concludes an unknown submission, and records the operator", async () => {
    const key = randomUUID();
    const id = await submitUnknown(key);
    const listed = await submissions("list");
    expect(listed.stdout).toMatch(
      new RegExp(
        `^${id}  outcome_unknown  provider-d  provider-d  default  createApplication`,
        "m",
      ),
    );
    expect(JSON.parse((await submissions("list", "--json")).stdout)).toMatchObject([
      { submissionId: id, state: "outcome_unknown", insurerId: null },
    ]);
    const word = ["--by=Maria Rossi", "--why=seen in the insurer's portal"];
    const settled = await submissions(
      "resolve",
      id,
      "--as=succeeded",
      "--insurer-id=D-000077",
      ...word,
    );
    expect(settled).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse((await submissions("show", id)).stdout)).toMatchObject({
      state: "succeeded",
      insurerId: "D-000077",
      resolutions: [
        {
          by: "Maria Rossi",
          reason: "seen in the insurer's portal",
          from: "outcome_unknown",
          to: "succeeded",
        },
      ],
    });
    const replay = await submit(key);
    expect(replay.status).toBe(502);
    expect(replay.headers.get("idempotency-replayed")).toBe("true");
    expect(await problemIn(replay)).toMatchObject({ outcome: "executed", insurerId: "D-000077" });
    const sameContent = await submit(null);
    expect(sameContent.headers.get("idempotency-replayed"), "the result is kept").toBe("true");
    expect((await submissions("list")).stdout).toBe(
      "No submission is outcome_unknown or needs_review.\n",
    );
  });

  it("`submissions list` and `submissions show` print the number of queries, and the same pseudonym of the caller as the log", async () => {
    const id = await submitUnknown(randomUUID());
    const listed: readonly Readonly<Record<string, unknown>>[] = JSON.parse(
      (await submissions("list", "--json")).stdout,
    );
    const row = listed.find(({ submissionId }) => submissionId === id);
    expect(row).toMatchObject({ queries: 0, nextQueryAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    const { caller } = row ?? {};
    expect(caller).toMatch(/^[0-9a-f]{16}$/);
    expect(process.output()).toContain(`"caller":"${String(caller)}"`);
    expect(JSON.parse((await submissions("show", id)).stdout)).toMatchObject({
      caller,
      queries: 0,
      provider: "provider-d",
      segment: "provider-d",
      account: "default",
    });
  });

  it("the command `submissions show --reveal` prints the customer's data, and records the name of the reader", async () => {
    const id = await submitUnknown(randomUUID());
    const plain = await submissions("show", id);
    expect(plain.stdout).not.toContain(afm);
    const look = ["--reveal", "--by=Maria Rossi", "--why=to ask the insurer"];
    const revealed = await submissions("show", id, ...look);
    expect(revealed).toMatchObject({ code: 0, stderr: "" });
    const looks = [{ by: "Maria Rossi", reason: "to ask the insurer", state: "outcome_unknown" }];
    expect(JSON.parse(revealed.stdout)).toMatchObject({
      matchFields: { query: { clientAfm: afm }, same: { "/holder/afm": afm } },
      looks,
      resolutions: [],
    });
    expect(JSON.parse((await submissions("show", id)).stdout)).toMatchObject({ looks });
    await submissions("resolve", id, "--as=failed", "--by=Maria Rossi", "--why=asked");
    const settled = await submissions("show", id, ...look);
    expect(settled.code).toBe(0);
    expect(settled.stderr).toContain("It has no match fields");
    expect(JSON.parse(settled.stdout)).toMatchObject({ matchFields: null, looks });
  });

  it("`submissions resolve` corrects a wrong result, and callers see the corrected state", async () => {
    const key = randomUUID();
    const id = await submitUnknown(key);
    const word = ["--by=Maria Rossi", "--why=the portal was wrong"];
    await submissions("resolve", id, "--as=succeeded", "--insurer-id=D-000078", ...word);
    expect(await submissions("resolve", id, "--as=failed", ...word)).toMatchObject({ code: 0 });
    expect((await submit(key)).status).toBe(422);
    expect(await stateOf({ address: process.address, token }, id)).toBe("failed");
    const again = await submissions(
      "resolve",
      id,
      "--as=succeeded",
      "--insurer-id=D-000079",
      ...word,
    );
    expect(again).toMatchObject({ code: 0 });
    const replay = await submit(key);
    expect([replay.status, await problemIn(replay)]).toMatchObject([
      502,
      { outcome: "executed", insurerId: "D-000079" },
    ]);
    expect(await stateOf({ address: process.address, token }, id)).toBe("succeeded");
    const shown = JSON.parse((await submissions("show", id)).stdout);
    expect(shown.resolutions).toMatchObject([
      { from: "outcome_unknown", to: "succeeded" },
      { from: "succeeded", to: "failed" },
      { from: "failed", to: "succeeded", by: "Maria Rossi", reason: "the portal was wrong" },
    ]);
  });

  it("`submissions reconcile` makes the gateway query the insurer now, and prints the result", async () => {
    const absent = await submitUnknown(randomUUID());
    const id = await submitUnknown(randomUUID(), "execute-then-reset", applicationBody());
    await insurer.behave(null);
    const found = await submissions("reconcile", id, "--wait=25");
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(found.stdout).toMatch(
      new RegExp(`^${id} is succeeded; the insurer's identifier is D-[0-9]{6}\\.\n$`),
    );
    const unproven = await submissions("reconcile", absent, "--wait=25");
    expect(unproven).toMatchObject({ code: 4, stderr: "" });
    expect(unproven.stdout).toMatch(
      new RegExp(`^${absent} is still outcome_unknown: the insurer's answer proves nothing yet\\.`),
    );
    await insurer.behave("server-error");
    const silent = await submissions("reconcile", absent, "--wait=0");
    expect(silent).toMatchObject({ code: 4, stderr: "" });
    expect(silent.stdout).toContain("the insurer has not answered a query within 0 s.");
    await submissions("resolve", absent, "--as=failed", "--by=x", "--why=y");
    expect(await submissions("reconcile", absent)).toMatchObject({
      code: 0,
      stdout: `${absent} is failed: the insurer did not take it.\n`,
    });
  });

  it("`submissions resolve` concludes a submission as failed, and refuses to conclude the same submission again", async () => {
    const key = randomUUID();
    const id = await submitUnknown(key);
    const resolve = "resolve ID --as failed --by Maria --why asked".replace("ID", id).split(" ");
    expect(await submissions(...resolve)).toMatchObject({ code: 0 });
    expect((await submit(key)).status).toBe(422);
    const again = await submissions(...resolve);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(
      `${id} is failed: a submission that is in flight, or failed already, cannot be resolved`,
    );
  });

  it.each([
    [
      ["resolve", randomUUID(), "--as", "failed", "--by", "x"],
      2,
      "required option '--why <reason>'",
    ],
    [
      ["resolve", randomUUID(), "--as", "succeeded", "--by", "x", "--why", "y"],
      1,
      "--as succeeded needs --insurer-id",
    ],
    [["resolve", "1", "--as=failed", "--by=x", "--why=y"], 2, "must be the id of a submission"],
    [
      ["resolve", UNKNOWN_ID, "--as=failed", "--by=x", "--why=y"],
      1,
      `There is no submission ${UNKNOWN_ID}`,
    ],
    [["show", UNKNOWN_ID], 1, "There is no submission"],
    [
      ["resolve", randomUUID(), "--as=failed", "--insurer-id=D-1", "--by=x", "--why=y"],
      1,
      "--as failed takes no --insurer-id",
    ],
    [
      [
        "resolve",
        randomUUID(),
        "--as=succeeded",
        "--insurer-id=AFM\u0007123456789",
        "--by=x",
        "--why=y",
      ],
      1,
      "--insurer-id must be an identifier",
    ],
    [
      ["resolve", randomUUID(), "--as=failed", "--by= ", "--why=y"],
      2,
      "must be 1 to 500 characters",
    ],
    [
      ["show", randomUUID(), "--reveal", "--by=x"],
      2,
      "--reveal, --by and --why must be given together",
    ],
    [["show", randomUUID(), "--why=x"], 2, "--reveal, --by and --why must be given together"],
    [["reconcile", UNKNOWN_ID], 1, "There is no submission"],
    [["reconcile", randomUUID(), "--wait=soon"], 2, "must be a whole number"],
    [["reconcile", randomUUID(), "--wiat=1"], 2, "unknown option '--wiat'"],
    [["accept-restore", "--force"], 2, "unknown option '--force'"],
    [["accept-restore"], 1, "This store was not restored"],
    [["mark-restored"], 78, "A gateway serves from"],
    [["list", "--state", "lost"], 2, "Allowed choices are in_flight"],
  ])(
    "an operator's command names the invalid or missing parameter: %j",
    async (parameters, exitCode, text) => {
      const { code, stderr } = await submissions(...parameters);
      expect(code).toBe(exitCode);
      expect(stderr).toContain(text);
    },
  );
});
