import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Behaviour, json } from "./gateway.ts";
import { applicationFlags } from "./program.ts";
import {
  problem,
  type Rows,
  type ScriptedGateway,
  startScriptedGateway,
  textOf,
} from "./scripted-gateway.ts";

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
afterAll(() => gateway.close());

const ID = "0b0f0b0f-0b0f-4b0f-8b0f-0b0f0b0f0b0f";
const reconciliation = { href: `/submissions/${ID}` };
const create = ["call", "provider-d", "createApplication", ...applicationFlags("123456789")];
const createInvalid = [...create.slice(0, 3), ...applicationFlags("12")];
const again = `  insurance-gateway call provider-d createApplication --policy-start-date=… --policy-end-date=… --vehicle-plate-number=… --vehicle-manufacturer-code=… --vehicle-model-code=… --holder-afm=… --holder-full-name=… --timeout=2 --idempotency-key k-1`;
const ask = `  insurance-gateway submissions ask ${ID}`;

const key = ["k-1"];
const happened = ["What happened."];
const later = { "retry-after": "77" };
const mayHaveActed = ["may have acted (unknown)"];
const earlierCall = [
  "got nothing from this call; an earlier call with the key may have been sent (unknown)",
];
const sameKey = "with the same key, which never takes effect twice:";

describe("the report of a failed submission", () => {
  it.each<readonly [string, Behaviour, number, string, Rows]>([
    [
      "rejected by the insurer, with faulty fields",
      problem([422, "PROVIDER_REJECTED", "rejected", "never"], {
        insurerId: "I-1",
        errors: [
          { pointer: "/holder/afm", code: "INVALID", message: "is not known" },
          { pointer: "/holder/afm", code: "INVALID", message: "is not known" },
          { pointer: "/vehicle", code: "INVALID", message: "is too old" },
        ],
      }),
      3,
      "PROVIDER_REJECTED (422): The insurer refused the request",
      {
        "at fault": ["--holder-afm is not known", "--body (/vehicle) is too old"],
        "the insurer": ["refused it (rejected)"],
        "its identifier": ["I-1"],
        "what to do": ["correct the request; the same request would fail again"],
      },
    ],
    [
      "not sent, and safe to repeat later",
      problem([503, "STORE_UNAVAILABLE", "not_sent", "safe"], {}, later),
      1,
      "STORE_UNAVAILABLE (503): Submissions cannot be stored now",
      {
        "the insurer": ["got nothing (not_sent)"],
        "what to do": ["run the command again after 77 s"],
      },
    ],
    [
      "an `unknown` outcome, with a submission ID and a waiting time",
      problem([504, "OUTCOME_UNKNOWN", "unknown", "same_key"], { reconciliation }, later),
      4,
      "OUTCOME_UNKNOWN (504): The insurer may have acted",
      {
        "the insurer": mayHaveActed,
        key,
        "what to do": [
          "query the state of the submission:",
          ask,
          `or send it again after 77 s ${sameKey}`,
          again,
        ],
      },
    ],
    [
      "an `unknown` outcome that the caller must check",
      problem([504, "OUTCOME_UNKNOWN", "unknown", "after_check"], { reconciliation }),
      4,
      "OUTCOME_UNKNOWN (504): The insurer may have acted",
      {
        "the insurer": mayHaveActed,
        key,
        "what to do": [
          "query the state of the submission:",
          ask,
          `or find out the cause, then send it again ${sameKey}`,
          again,
        ],
      },
    ],
    [
      "an `unknown` outcome without a submission ID",
      problem([500, "INTERNAL_ERROR", "unknown", "after_check"]),
      4,
      "INTERNAL_ERROR (500): The gateway failed",
      {
        "the insurer": mayHaveActed,
        key,
        "what to do": [`find out the cause, then send it again ${sameKey}`, again],
      },
    ],
    [
      "an invalid request whose key an earlier call may have used",
      problem([400, "VALIDATION_FAILED", "unknown", "never"], {
        errors: [{ pointer: "/holder", code: "REQUIRED", message: "is required" }],
      }),
      4,
      "VALIDATION_FAILED (400): The request does not match the contract",
      {
        "at fault": ["--holder-afm is required", "--holder-full-name is required"],
        "the insurer": earlierCall,
        key,
        "what to do": [`find out the cause, then send it again ${sameKey}`, again],
      },
    ],
    [
      "a refused token with a key that an earlier call may have used",
      problem([401, "UNAUTHENTICATED", "unknown", "never"]),
      4,
      "UNAUTHENTICATED (401): A valid token is needed",
      {
        "the insurer": earlierCall,
        key,
        "what to do": [
          "set GATEWAY_TOKEN to a valid token of this gateway;",
          `find out the cause, then send it again ${sameKey}`,
          again,
        ],
      },
    ],
    [
      "carried out by the insurer, with an unusable answer",
      problem([502, "PROVIDER_BAD_RESPONSE", "executed", "never"], { insurerId: "D-7" }),
      5,
      "PROVIDER_BAD_RESPONSE (502): The insurer's answer cannot be used",
      {
        "the insurer": ["acted, and its answer cannot be used (executed)"],
        "its identifier": ["D-7"],
        "what to do": ["do not send it again; the insurer has carried it out"],
      },
    ],
    [
      "a conflict with another submission of the caller",
      problem([409, "CONFLICT", "not_sent", "after_check"], { reconciliation }),
      1,
      "CONFLICT (409): The insurer's data do not allow it now",
      {
        "the insurer": ["got nothing (not_sent)"],
        "what to do": ["query the state of the other submission:", ask],
      },
    ],
    [
      "a conflict without a submission ID",
      problem([409, "CONFLICT", "not_sent", "after_check"], {
        reconciliation: { href: `/elsewhere/${ID}` },
      }),
      1,
      "CONFLICT (409): The insurer's data do not allow it now",
      {
        "the insurer": ["got nothing (not_sent)"],
        "what to do": ["check first whether the insurer has the submission"],
      },
    ],
    [
      "a conflict that is safe to repeat with the same key",
      problem([409, "CONFLICT", "rejected", "same_key"], {}, later),
      3,
      "CONFLICT (409): The insurer's data do not allow it now",
      {
        "the insurer": ["refused it (rejected)"],
        "what to do": ["run the command again with the same --idempotency-key"],
      },
    ],
    [
      "an answer that breaks the declaration",
      json(201, { applicationId: 7 }, { "x-request-id": "req-2" }),
      4,
      "RESPONSE_INVALID (201)",
      {
        "what happened": [
          "The answer breaks the declaration. Check that this is the gateway's address, and that the gateway's version matches this package.",
        ],
        "the insurer": mayHaveActed,
        key,
        "what to do": [`find out the cause, then send it again ${sameKey}`, again],
        "request id": ["req-2"],
      },
    ],
  ])(
    "the report of a failed submission has the outcome and the user's next step: %s",
    async (_, behaviour, code, title, rows) => {
      gateway.server.behaviour = behaviour;
      const parameters = [...create, "--timeout=2", "--idempotency-key=k-1"];
      const ended = await gateway.run(parameters, { environment: { GATEWAY_TOKEN: "t" } });
      const whole = {
        "what happened": happened,
        ...rows,
        "request id": rows["request id"] ?? ["req-1"],
      };
      expect(ended).toMatchObject({ code, stdout: "", stderr: textOf(title, whole) });
    },
  );

  it.each([
    ["succeeded", "carried out", 5],
    ["failed", "refused", 3],
  ])(
    "the report of an invalid submission has the result of an earlier call with the same idempotency key: %s",
    async (state, ended, code) => {
      gateway.server.behaviour = json(200, {
        submissionId: ID,
        provider: "provider-d",
        endpoint: "createApplication",
        state,
        insurerId: null,
        receivedAt: "2026-11-29T10:00:00Z",
        updatedAt: "2026-11-29T10:00:00Z",
        askAgainAt: null,
        answer: null,
      });
      const failed = await gateway.run([...createInvalid, "--idempotency-key=k-1"]);
      expect(failed.stderr).toContain("nothing was sent:\n  --holder-afm must be 9 digits\n");
      expect(failed.stderr).toContain(`with this key was ${ended}:\n${ask}\n`);
      expect(failed.code).toBe(code);
    },
  );

  it("a failed submission with --output json is reported as one JSON object with the idempotency key and the submission's ID", async () => {
    gateway.server.behaviour = problem([504, "OUTCOME_UNKNOWN", "unknown", "after_check"], {
      errors: [{ pointer: "/holder/afm", code: "INVALID", message: "is not known" }],
      reconciliation,
    });
    const { code, stderr } = await gateway.run([...create, "--output=json"]);
    const [told = "", facts = ""] = stderr.split("\n");
    const [, sent] = /^Idempotency-Key: (\S+)$/.exec(told) ?? [];
    expect(gateway.server.arrivals.at(-1)?.headers["idempotency-key"]).toBe(`"${sent}";generated`);
    expect([code, JSON.parse(facts)]).toEqual([
      4,
      {
        code: "OUTCOME_UNKNOWN",
        outcome: "unknown",
        retry: "after_check",
        message: "What happened.",
        errors: [{ pointer: "/holder/afm", code: "INVALID", message: "is not known" }],
        idempotencyKey: sent,
        submissionId: ID,
        requestId: "req-1",
        insurerId: null,
      },
    ]);
  });

  it("the advice after a failed submission repeats the values of the flags only on a terminal", async () => {
    gateway.server.behaviour = problem([504, "OUTCOME_UNKNOWN", "unknown", "after_check"], {
      reconciliation,
    });
    const address = gateway.server.baseUrl;
    const { stderr } = await gateway.run(
      [...create, "--idempotency-key=k-1", "--gateway", address],
      { terminal: true },
    );
    expect(stderr).toContain("--holder-afm=123456789 ");
    expect(stderr).toContain(`submissions ask ${ID} --gateway ${address}\n`);
  });
});
