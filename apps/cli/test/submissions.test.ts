import { randomUUID } from "node:crypto";
import type { SubmissionRecord, SubmissionState } from "@insurance-gateway/gateway/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  encryptMatchFields,
  keep,
  type NewSubmission,
  RECEIVED_AT,
  sampleSubmission,
} from "./gateway.ts";
import { makeStoreFolder, type StoreFolder } from "./store-folder.ts";

let place: StoreFolder;
/** The ID of a submission in each state. The submissions were received one second apart. */
const ids: Partial<Record<SubmissionState, string>> = {};
beforeAll(async () => {
  place = await makeStoreFolder();
  const states = ["in_flight", "outcome_unknown", "needs_review", "succeeded", "failed"] as const;
  for (const [index, state] of states.entries())
    ids[state] = await add(state, { receivedAt: RECEIVED_AT + index * 1_000 });
});
afterAll(() => place.remove());

const matchFields = { query: { clientAfm: "123456789" }, same: { "/holder/afm": "123456789" } };

/** Adds a submission in a state to the store. */
async function add(state: SubmissionState, more: Partial<NewSubmission> = {}): Promise<string> {
  const id = randomUUID();
  const encrypted = encryptMatchFields(place.encryption, id, matchFields);
  const { keyId } = place.encryption;
  await keep(
    place.store,
    state,
    sampleSubmission({ id, segment: "provider-d", matchFields: encrypted, keyId, ...more }),
  );
  return id;
}

async function recordOf(id: string): Promise<SubmissionRecord> {
  const record = await place.store.find(id);
  if (record === null) throw new Error("There is no such submission");
  return record;
}

const run = (...parameters: readonly string[]): ReturnType<StoreFolder["run"]> =>
  place.run(["submissions", ...parameters]);

describe("the command `submissions list`", () => {
  it.each([
    [[], ["needs_review", "outcome_unknown"]],
    [["--limit", "1"], ["needs_review"]],
    [["--state", "failed"], ["failed"]],
    [
      ["--state", "failed", "succeeded", "in_flight"],
      ["failed", "succeeded", "in_flight"],
    ],
    [
      ["--state", "failed", "succeeded", "in_flight", "--limit=2"],
      ["failed", "succeeded"],
    ],
  ])(
    "the command `submissions list` lists submissions in the selected states, newest first: %j",
    async (flags, states) => {
      const { code, stdout } = await run("list", "--json", ...flags);
      const listed: { state: SubmissionState; submissionId: string }[] = JSON.parse(stdout);
      expect([code, listed.map(({ state }) => state)]).toEqual([0, states]);
      for (const { state, submissionId } of listed) expect(submissionId).toBe(ids[state]);
    },
  );

  it("the command `submissions list` prints the fields that an operator needs, without a submission's content", async () => {
    const { stdout } = await run("list", "--json", "--state", "outcome_unknown");
    expect(JSON.parse(stdout)).toEqual([
      {
        submissionId: ids.outcome_unknown,
        state: "outcome_unknown",
        provider: "provider-d",
        segment: "provider-d",
        account: "default",
        endpoint: "createApplication",
        caller: expect.stringMatching(/^[0-9a-f]+$/),
        insurerId: null,
        receivedAt: new Date(RECEIVED_AT + 1_000).toISOString(),
        updatedAt: new Date(RECEIVED_AT + 500).toISOString(),
        queries: 0,
        nextQueryAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
  });

  it("the command `submissions list` prints a table by default", async () => {
    const { stdout } = await run("list", "--state", "needs_review", "failed");
    const [head = "", ...rows] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(head.slice(0, 3)).toEqual(["submissionId", "state", "provider"]);
    expect(rows.map(([id, state, , , , , , insurerId]) => [id, state, insurerId])).toEqual([
      [ids.failed, "failed", `D-${ids.failed}`],
      [ids.needs_review, "needs_review", "-"],
    ]);
    expect(rows[1]?.at(-1)).toBe("-");
  });

  it("the command `submissions list` prints a sentence if no submission is in the selected states", async () => {
    const other = await makeStoreFolder();
    const lists = [
      await other.run(["submissions", "list"]),
      await other.run(["submissions", "list", "--json"]),
    ];
    await other.remove();
    expect(lists.map(({ stdout }) => stdout)).toEqual([
      "No submission is outcome_unknown or needs_review.\n",
      "[]\n",
    ]);
  });
});

describe("the command `submissions show`", () => {
  it("the command `submissions show` prints who resolved a submission and who revealed the submission's match fields", async () => {
    const id = await add("needs_review");
    const looked = await run(
      "show",
      id,
      "--reveal",
      "--by",
      "M. Rossi",
      "--why",
      "to ask the insurer",
    );
    expect([looked.code, looked.stderr]).toEqual([0, ""]);
    expect(JSON.parse(looked.stdout)).toMatchObject({ submissionId: id, matchFields });
    await run("resolve", id, "--as", "failed", "--by", "A. Bianchi", "--why", "seen in the portal");
    const { stdout } = await run("show", id);
    const facts = JSON.parse(stdout);
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(facts).toMatchObject({
      state: "failed",
      resolutions: [
        { at, by: "A. Bianchi", reason: "seen in the portal", from: "needs_review", to: "failed" },
      ],
      looks: [{ at, by: "M. Rossi", reason: "to ask the insurer", state: "needs_review" }],
    });
    expect(facts).not.toHaveProperty("matchFields");
  });

  it("the command `submissions show` reveals no match fields of a concluded submission, and records no access", async () => {
    const id = await add("failed");
    const { code, stderr, stdout } = await run("show", id, "--reveal", "--by", "M", "--why", "w");
    expect([code, stderr]).toEqual([
      0,
      "It has no match fields: the gateway deletes them when a submission is concluded.\n",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ matchFields: null, looks: [], resolutions: [] });
  });

  it("the command `submissions show --reveal` fails if the key that encrypted the match fields is not configured", async () => {
    const id = await add("needs_review", { keyId: "old" });
    const { code, stderr, stdout } = await run("show", id, "--reveal", "--by", "M", "--why", "w");
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      `The match fields of ${id} cannot be decrypted: submissions.keys needs the key "old" that encrypted them.\n`,
    ]);
  });

  const nobodys = "00000000-0000-4000-8000-000000000000";
  const pair = "--reveal, --by and --why must be given together";

  it.each([
    [["show", nobodys], 1, `There is no submission ${nobodys}.`],
    [["show", nobodys, "--reveal"], 2, pair],
    [["show", nobodys, "--reveal", "--by", "M"], 2, pair],
    [["show", nobodys, "--reveal", "--why", "w"], 2, pair],
    [["show", nobodys, "--by", "M"], 2, pair],
    [["show", nobodys, "--by", "M", "--why", "w"], 2, pair],
    [["show", nobodys, "--by", " "], 2, "--by is invalid. It must be 1 to 500 characters"],
    [["show", nobodys, "--by", "a\nb"], 2, "--by is invalid. It must be 1 to 500 characters"],
    [
      ["show", nobodys, "--why", "x".repeat(501)],
      2,
      "--why is invalid. It must be 1 to 500 characters",
    ],
    [["show", nobodys, "--why", "x".repeat(500)], 2, pair],
    [["show", nobodys.toUpperCase().replace("0", "A")], 2, "must be the id of a submission"],
    [["show", `${nobodys}0`], 2, "must be the id of a submission"],
    [["list", "--limit", "0"], 2, "from 1 to 99999"],
    [["list", "--limit", "100000"], 2, "from 1 to 99999"],
    [["list", "--limit", "99999"], 0, ""],
    [["list", "--state", "open"], 2, "Allowed choices are in_flight"],
    [["reconcile", nobodys, "--wait", "100000"], 2, "from 0 to 99999"],
    [["reconcile", nobodys, "--wait", "-1"], 2, "from 0 to 99999"],
    [["reconcile", nobodys, "--wait", "99999"], 1, `There is no submission ${nobodys}.`],
    [["resolve", nobodys, "--by", "M", "--why", "w"], 2, "--as <state>' not specified"],
    [["resolve", nobodys, "--as", "failed", "--why", "w"], 2, "--by <name>' not specified"],
    [["resolve", nobodys, "--as", "failed", "--by", "M"], 2, "--why <reason>' not specified"],
    [
      ["resolve", nobodys, "--as", "failed", "--by", "M", "--why", "w"],
      1,
      `There is no submission ${nobodys}.`,
    ],
  ])(
    "the `submissions` commands accept only valid parameters: %j",
    async (parameters, code, words) => {
      const ended = await run(...parameters);
      expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(words)]);
    },
  );
});

describe("the command `submissions resolve`", () => {
  it("the command `submissions resolve` stores the insurer's identifier, and who resolved the submission", async () => {
    const id = await add("needs_review");
    const word = ["--by", "M. Rossi", "--why", "seen in the portal"];
    const { code, stdout } = await run(
      "resolve",
      id,
      "--as",
      "succeeded",
      "--insurer-id",
      "D-000123",
      ...word,
    );
    expect([code, stdout]).toEqual([
      0,
      `${id} is succeeded; from now on, its caller gets this result.\n`,
    ]);
    expect(await recordOf(id)).toMatchObject({
      state: "succeeded",
      insurerId: "D-000123",
      matchFields: null,
    });
    expect(await place.store.resolutions(id)).toMatchObject([
      { by: "M. Rossi", reason: "seen in the portal", from: "needs_review", to: "succeeded" },
    ]);
  });
});
