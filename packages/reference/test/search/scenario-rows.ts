/** The scenarios of the simulated insurers: provider, endpoint, name and effect. */
export const scenarioRows: readonly (readonly [string, string, string, string])[] = [
  [
    "provider-c",
    "downloadIpid",
    "DOCUMENT_NOT_READY",
    "the insurer is still creating the document",
  ],
  [
    "provider-d",
    "createApplication",
    "AWAITING_PAYMENT",
    "201, approved; the answer names the payment to make",
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
    "201 with status DECLINED, because a decline is a normal answer",
  ],
  [
    "provider-d",
    "createApplication",
    "REJECTED",
    "the insurer refuses a value and names the field",
  ],
  ["provider-d", "createApplication", "BROKER_LIMIT", "the broker's limit is used up"],
  [
    "provider-d",
    "createApplication",
    "LOST_ANSWER",
    "the application is stored, but the insurer never answers",
  ],
  [
    "provider-d",
    "createApplication",
    "UNREADABLE_ANSWER",
    "the application is stored, and the answer is an HTML page",
  ],
  [
    "provider-d",
    "createApplication",
    "UNAVAILABLE",
    "the insurer is not available, and stores nothing; Retry-After has the time to wait",
  ],
  [
    "provider-d",
    "createApplication",
    "BUSY",
    "the insurer accepts no more calls for now (429), and stores nothing; Retry-After has the time to wait",
  ],
  ["provider-d", "createApplication", "SLOW", "201 after five seconds"],
  ["provider-d", "createApplication", "ISSUED", "201, paid and issued, with a policy number"],
  [
    "provider-e",
    "calculatePensionQuote",
    "UNAVAILABLE",
    "the insurer is not available; Retry-After has the time to wait",
  ],
  ["provider-e", "calculatePensionQuote", "TIMEOUT", "the insurer never answers"],
];
