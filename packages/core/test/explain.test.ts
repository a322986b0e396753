import { expect, it } from "vitest";
import { explain, type Problem, ProblemError, RequestInvalidError } from "../src/index.ts";
import { connect } from "./harness/connect.ts";
import { createPolicy, policyBody } from "./harness/declarations.ts";
import { failureOf } from "./harness/failure.ts";
import { NOBODY_LISTENS } from "./harness/listen.ts";
import { problem } from "./harness/replies.ts";
import { scriptedServer } from "./harness/scripted-server.ts";

it("`explain` names the event, whether the insurer acted, and the next step", () => {
  const problem = {
    type: "",
    title: "",
    status: 503,
    code: "OVERLOADED",
    detail: "The gateway has too many requests.",
    requestId: "r-1",
    provider: "provider-m",
    outcome: "not_sent",
    retry: "safe",
  } as const;
  const error = new ProblemError("GET /brands", "provider-m", problem, 77);
  expect(explain(error).text).toBe(
    "OVERLOADED (503): The gateway is overloaded. The gateway has too many requests. The insurer got nothing. Repeat the call after 77 s. (request r-1)",
  );
});

it("`explain` advises never to repeat an executed submission whose answer is no longer stored", () => {
  const result = { key: "k", submissionId: "s-1", insurerId: "M-7", error: null } as const;
  expect(explain({ outcome: "executed", ...result }).text).toBe(
    "The insurer carried out the submission. The gateway no longer stores its answer. The insurer acted, and its answer cannot be used. Never send the submission again: the insurer's identifier is M-7.",
  );
});

const fault = { pointer: "/holder/afm", code: "INVALID", message: "is unknown" } as const;
const invalid = {
  status: 422,
  code: "VALIDATION_FAILED",
  outcome: "not_sent",
  retry: "never",
} as const;
const open = {
  status: 504,
  code: "OUTCOME_UNKNOWN",
  outcome: "unknown",
  retry: "same_key",
} as const;
it.each<[string, Partial<Problem>, string]>([
  [
    "correct the fields that the gateway refused",
    { ...invalid, detail: "The request is invalid.", errors: [fault] },
    "The request is invalid. /holder/afm is unknown. The insurer got nothing. Correct the request: the same request would fail again. (request req-1)",
  ],
  [
    "ask the operator about an unknown outcome",
    { ...open, detail: "It is not known.", reconciliation: { href: "/submissions/S-1" } },
    "It is not known. The insurer may have acted. Ask the gateway's operator about the submission S-1. If you send it again, use the key key-1, which never takes effect twice. (request req-1)",
  ],
])("`explain` names the next step after a failed submission: %s", async (_, parts, text) => {
  const server = await scriptedServer(problem(parts));
  const submission = { body: policyBody, key: "key-1" };
  const result = await connect(server.address).submit(createPolicy, submission);
  if (result.outcome === "succeeded") throw new Error("the gateway answered with a problem");
  expect(explain(result).text).toContain(text);
});

it("`explain` names each invalid field of an unsent request only once", async () => {
  const body = { ...policyBody, holder: { ...policyBody.holder, afm: "" } };
  const call = connect(NOBODY_LISTENS).call(createPolicy, { body });
  const error = await failureOf(call);
  if (!RequestInvalidError.isInstance(error)) throw error;
  const { faults, happened, text } = explain(error);
  expect(happened).not.toContain("/holder");
  expect(faults).not.toEqual([]);
  for (const { pointer } of faults) expect(text.split(`${pointer} `)).toHaveLength(2);
});
