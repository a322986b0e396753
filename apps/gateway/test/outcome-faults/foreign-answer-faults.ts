import { type HonestAnswer, type StoredApplication, strangersApplication } from "./book.ts";
import { type Fault, response } from "./fault.ts";
import { type Conduct, honestParts, type Part } from "./insurer.ts";

/** Honest conduct of the insurer in an earlier exchange with another caller. */
const AFTER_ANOTHER: Conduct = {};
/** Idle time of the kept connection after an earlier exchange with another caller, in milliseconds. */
const IDLE_MS = 150;

/** Changes that remove the sent content from an answer: JSON omits fields whose value is undefined. */
const WITHOUT_CONTENT = { policy: undefined, vehicle: undefined, holder: undefined };

/** Changes that turn an application into a different one. */
const changes: Readonly<Record<string, (application: StoredApplication) => object>> = {
  "another customer's tax number": ({ holder }) => ({ holder: { ...holder, afm: "000000001" } }),
  "another customer's tax number and name": () => ({ holder: strangersApplication.holder }),
  "another plate": ({ vehicle }) => ({ vehicle: { ...vehicle, plateNumber: "ΖΖΖ-9999" } }),
  "another start date": ({ policy }) => ({ policy: { ...policy, startDate: "2026-11-30" } }),
  "another end date": ({ policy }) => ({ policy: { ...policy, endDate: "2031-01-01" } }),
  "another application's content": ({ policy }) => ({
    ...strangersApplication,
    policy: { ...policy, ...strangersApplication.policy },
  }),
};

/** Answers with an application that differs from the sent application. */
const altered: readonly Fault[] = Object.entries(changes).flatMap(([what, change]) =>
  ([true, false] as const).flatMap((acts) => {
    const doing = acts ? "executes the request" : "does nothing";
    const answers: Readonly<Record<string, (application: StoredApplication) => object>> = {
      "confirms the application with": (application) => ({
        ...application,
        ...change(application),
      }),
      "sends an invalid answer with": (application) => ({
        applicationId: application.applicationId,
        ...change(application),
      }),
      "confirms only": (application) => ({
        ...application,
        ...WITHOUT_CONTENT,
        ...change(application),
      }),
    };
    return Object.entries(answers).flatMap(([manner, made]) =>
      [200, 201, 202].map(
        (status): Fault => ({
          name: `${doing} and ${manner} ${what} in a ${status}`,
          kinds: ["submission"],
          conduct: {
            acts,
            answer: (honest) => [
              response(honest, { status, body: JSON.stringify(made(honest.application)) }),
            ],
          },
        }),
      ),
    );
  }),
);

/** Answers that repeat, correctly, only a part of the sent application. */
const partial: readonly Fault[] = Object.entries({
  "only the holder": ({ holder }) => ({ holder }),
  "only the vehicle": ({ vehicle }) => ({ vehicle }),
  "only the policy": ({ policy }) => ({ policy }),
  "only the start date": ({ policy }) => ({ policy: { startDate: policy.startDate } }),
  nothing: () => ({}),
} satisfies Record<string, (application: StoredApplication) => object>).map(
  ([what, repeated]): Fault => ({
    name: `executes the request and repeats ${what} of the application`,
    kinds: ["submission"],
    conduct: {
      answer: (honest) => [
        response(honest, {
          body: JSON.stringify({
            ...honest.application,
            ...WITHOUT_CONTENT,
            ...repeated(honest.application),
          }),
        }),
      ],
    },
  }),
);

/** Returns the answer to the previous submission. */
function previousAnswer(honest: HonestAnswer): Part {
  return response(honest, { status: 201, body: JSON.stringify(honest.previous) });
}

/** Returns an answer that has an identifier, but no content of the application. */
function answerWithoutContent(honest: HonestAnswer): Part {
  const application = {
    ...honest.application,
    applicationId: `${honest.application.applicationId}-X`,
  };
  return response(honest, {
    status: 201,
    body: JSON.stringify({
      ...application,
      ...WITHOUT_CONTENT,
    }),
  });
}

const mixedUp: readonly Fault[] = ([true, false] as const).flatMap((acts) => {
  const doing = acts ? "executes the request" : "does nothing";
  const answers: Readonly<Record<string, (honest: HonestAnswer) => Part>> = {
    "answers with the previous application": previousAnswer,
    "sends an invalid answer with the previous application's identifier": (honest) =>
      response(honest, {
        body: JSON.stringify({ applicationId: honest.previous.applicationId }),
      }),
    "answers with the previous application's identifier": (honest) =>
      response(honest, {
        body: JSON.stringify({
          ...honest.application,
          applicationId: honest.previous.applicationId,
        }),
      }),
  };
  return Object.entries(answers).map(
    ([what, answer]): Fault => ({
      name: `${doing} and ${what}`,
      kinds: ["submission"],
      before: AFTER_ANOTHER,
      conduct: { acts, answer: (honest) => [answer(honest)] },
    }),
  );
});

/** Faults on a connection that is kept after another caller's submission. */
const kept: readonly Fault[] = Object.entries({
  "at once": [],
  "while the connection is idle": [{ wait: IDLE_MS / 3 }],
  "when the next request begins": [{ wait: "next request" }],
} satisfies Record<string, readonly Part[]>).flatMap(([when, wait]) => {
  const leftovers: Readonly<Record<string, (honest: HonestAnswer) => readonly Part[]>> = {
    "the same answer again": honestParts,
    "an answer without content": (honest) => [answerWithoutContent(honest)],
    "an answer with only an identifier": (honest) => [
      response(honest, {
        body: JSON.stringify({ applicationId: `${honest.application.applicationId}-Y` }),
      }),
    ],
    "a 408": (honest) => [response(honest, { status: 408, body: "", mediaType: null })],
    "an empty 201": (honest) => [response(honest, { status: 201, body: "", mediaType: null })],
    "a 422 without a code": (honest) => [
      response(honest, { status: 422, mediaType: "application/problem+json", body: "{}" }),
    ],
    "100 Continue": () => ["HTTP/1.1 100 Continue\r\n\r\n"],
    "half a status line": () => ["HTTP/1.1 2"],
    garbage: () => ["\r\n\r\n~~~~"],
  };
  return Object.entries(leftovers).flatMap(([what, parts]) =>
    ([true, false] as const).map((acts): Fault => {
      const before: Conduct = {
        answer: (honest) => [...honestParts(honest), ...wait, ...parts(honest)],
      };
      return {
        name: `wrote ${what} after its answer to another caller, ${when}, and ${acts ? "executes the next request" : "does nothing with the next request"}`,
        kinds: ["submission"],
        before,
        ...(when === "while the connection is idle" ? { idleMs: IDLE_MS } : {}),
        conduct: { acts, answer: () => [], end: "hang", onlyOnKeptConnection: true },
      };
    }),
  );
});

/** Connections that end between two requests. */
const ended: readonly Fault[] = (["close", "reset"] as const).flatMap((end) =>
  (["at once", "when the next request begins"] as const).map(
    (when): Fault => ({
      name: `${end}s the kept connection ${when}`,
      kinds: ["submission"],
      before: {
        answer: (honest) => [
          ...honestParts(honest),
          ...(when === "at once" ? [] : [{ wait: "next request" } as const]),
        ],
        end,
      },
      conduct: {},
    }),
  ),
);

const together: readonly Fault[] = [
  {
    name: "executes two requests and swaps their answers",
    kinds: ["submission"],
    together: true,
    conduct: { swaps: true },
  },
  {
    name: "does nothing with two requests and swaps their answers",
    kinds: ["submission"],
    together: true,
    conduct: { swaps: true, acts: false },
  },
  {
    name: "executes two requests and answers both with the same identifier",
    kinds: ["submission"],
    together: true,
    conduct: { stores: (_, { applicationId }) => ({ applicationId }) },
  },
];

/** Answers that belong to another request. */
export const foreignAnswerFaults: readonly Fault[] = [
  ...altered,
  ...partial,
  ...mixedUp,
  ...kept,
  ...ended,
  ...together,
  {
    name: "executes the request for another plate, and confirms that plate",
    kinds: ["submission"],
    conduct: { stores: ({ vehicle }) => ({ vehicle: { ...vehicle, plateNumber: "ΖΖΖ-9999" } }) },
  },
  {
    name: "gives every application the same identifier",
    kinds: ["submission"],
    before: AFTER_ANOTHER,
    conduct: { stores: (_, { applicationId }) => ({ applicationId }) },
  },
  {
    name: "wrote its answer to another caller after the deadline",
    kinds: ["submission"],
    before: { answer: (honest) => [{ wait: 1_200 }, ...honestParts(honest)] },
    conduct: { acts: false, answer: () => [], end: "hang", onlyOnKeptConnection: true },
  },
  {
    name: "answers with a list that has the application",
    kinds: ["submission"],
    conduct: {
      answer: (honest) => [response(honest, { body: JSON.stringify([honest.application]) })],
    },
  },
  {
    name: "answers with the application inside an envelope",
    kinds: ["submission"],
    conduct: {
      answer: (honest) => [
        response(honest, { body: JSON.stringify({ data: honest.application }) }),
      ],
    },
  },
  {
    name: "writes the field holder twice: first a stranger, then the customer",
    kinds: ["submission"],
    conduct: {
      answer: (honest) => [
        response(honest, {
          body: `{"holder":${JSON.stringify(strangersApplication.holder)},${honest.body.slice(1)}`,
        }),
      ],
    },
  },
  {
    name: "does nothing and writes the field holder twice: first the customer, then a stranger",
    kinds: ["submission"],
    conduct: {
      acts: false,
      answer: (honest) => [
        response(honest, {
          body: `${honest.body.slice(0, -1)},"holder":${JSON.stringify(strangersApplication.holder)}}`,
        }),
      ],
    },
  },
];
