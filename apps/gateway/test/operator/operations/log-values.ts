import type { LogFields } from "../../../src/operator/logging/fields.ts";

/** Values that must never be in a log: a tax number, a token, an e-mail address, a name, a plate, a date of birth. */
export const canaries = {
  afm: "123456783",
  token: "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtYXJpYSJ9.c2lnbmF0dXJl",
  email: "maria.papadopoulou@example.gr",
  name: "Μαρία Παπαδοπούλου",
  plate: "ΙΚΥ-1234",
  born: "1984-02-29",
} as const;

const id = "0b0f3a52-9d0c-4e5b-8f10-123456783abc";

/** Values that the gateway writes into the log, for every field. */
export const goodValues: {
  readonly [Name in keyof Required<LogFields>]: readonly LogFields[Name][];
} = {
  requestId: [id, "0b0f3a52-9d0c-4e5b-8f10-abc123456783"],
  submissionId: [id],
  caller: ["0123456789abcdef", null],
  traceId: ["4bf92f3577b34da6a3ce929d0e0e4736", "12345678312345678312345678312345"],
  issuer: ["https://issuer.example:8443/realms/brokers", "insurance-gateway-development"],
  method: ["GET", "POST", "DELETE"],
  route: ["/provider-d/applications/{applicationId}/ipid", "/submissions/{submissionId}"],
  provider: ["provider-d"],
  segment: ["motor.v2_x~1"],
  account: ["north-motor"],
  endpoint: ["createApplication"],
  status: [200, 504],
  code: ["OUTCOME_UNKNOWN", "VALIDATION_FAILED"],
  outcome: ["not_sent", "rejected", "unknown", "executed"],
  reason: ["caller_limit", "wrong_audience", "breaker", "event_loop", "keys_unavailable"],
  callerGone: [true, false],
  durationMs: [0, 12.3, 45_000],
  insurerMs: [0, 12.3],
  failure: [
    "TypeError",
    "ECONNREFUSED",
    "57P01",
    "the thread failed: RangeError",
    { kind: "TypeError" },
    {
      kind: "TypeError",
      places: [
        "at faultIn (file:///srv/gateway/dist/insurers/answer.js:183:24)",
        "at async Promise.all (index 0)",
        "at async Object.serve (file:///srv/gateway/dist/pipeline.js:99:11)",
        "at new Refusal (/srv/node_modules/.pnpm/fastify@5.12.8/node_modules/fastify/lib/x.js:1:2)",
        "at node:internal/process/task_queues:104:5",
        "at Map.forEach (<anonymous>)",
        "at Object.<anonymous> [as handler] (file:///srv/a.js:1:2)",
      ],
    },
  ],
  detail: [
    "SQLITE_FULL",
    "ECONNREFUSED",
    "timeout",
    "closed",
    "connection lost",
    "the thread has ended",
  ],
  state: ["in_flight", "needs_review"],
  answeredState: ["succeeded", "failed"],
  task: ["writing endings", "leases", "reconciliation of provider-d"],
  submissions: [0, 12],
  fields: [["/holder/afm", "/vehicle/plateNumber"]],
  difference: ["missing", "format"],
  breaking: [true, false],
  keys: [["providers[0].timeouts.totalMs", "issuers", "limits.headers"]],
  skipped: [1, 90_000],
  seconds: [30, 3_600],
  action: ["added", "changed", "removed"],
  by: ["127.0.0.1", "::1", "anna@ops (127.0.0.1)", "Anna B. (::ffff:10.0.0.1)", "root"],
  faults: [
    [
      "providers[0].upstream.credentials.token: the environment variable TOKEN is not set",
      "(the whole file): Invalid input",
      "PORT (environment): must be a port number from 0 to 65535",
    ],
    ["the file is not JSON"],
  ],
};
