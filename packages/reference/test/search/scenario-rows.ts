/** The scenarios of the simulated insurers: provider, endpoint, name and effect. */
export const scenarioRows: readonly (readonly [string, string, string, string])[] = [
  ["provider-c", "downloadIpid", "DOCUMENT_NOT_READY", "the insurer is still making the document"],
  [
    "provider-d",
    "createApplication",
    "AWAITING_PAYMENT",
    "201, approved and waiting for the payment named in it",
  ],
  [
    "provider-d",
    "createApplication",
    "UNDER_REVIEW",
    "201, waiting for the registration certificate",
  ],
  [
    "provider-d",
    "createApplication",
    "DECLINED",
    "201 with status DECLINED: a decline is an answer",
  ],
  [
    "provider-d",
    "createApplication",
    "REJECTED",
    "the insurer refuses a value, and names its field",
  ],
  ["provider-d", "createApplication", "BROKER_LIMIT", "the broker's limit is used up"],
  [
    "provider-d",
    "createApplication",
    "LOST_ANSWER",
    "the application is kept, and no answer ever comes",
  ],
  [
    "provider-d",
    "createApplication",
    "UNREADABLE_ANSWER",
    "the application is kept, and the answer is an HTML page",
  ],
  [
    "provider-d",
    "createApplication",
    "UNAVAILABLE",
    "the insurer is not available, and keeps nothing; Retry-After says how long",
  ],
  [
    "provider-d",
    "createApplication",
    "BUSY",
    "the insurer accepts no more calls for now (429), and keeps nothing; Retry-After says how long",
  ],
  ["provider-d", "createApplication", "SLOW", "201 after five seconds"],
  ["provider-d", "createApplication", "ISSUED", "201, paid and issued, with a policy number"],
  [
    "provider-e",
    "calculatePensionQuote",
    "UNAVAILABLE",
    "the insurer is not available; Retry-After says how long",
  ],
  ["provider-e", "calculatePensionQuote", "TIMEOUT", "no answer ever comes"],
];
