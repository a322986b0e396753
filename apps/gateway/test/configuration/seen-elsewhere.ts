/** The configuration keys whose effect another file tests: `key: file: part of the test's title`. */
const rows = `
listen.tls.certificate: http/guards/tls: answers over TLS
listen.tls.key: http/guards/tls: the gateway does not start if its private key is missing or belongs to another certificate
listen.tlsEndsBefore: deployment/production.release: an unknown load balancer
listen.trustedProxies[]: http/guards/forwarded-addresses: the gateway accepts the caller's address from a trusted proxy, but only the part that the proxy wrote
listen.sharedPort: http/guards/shared-port: several listeners can share a port if each has \`sharedPort\`, and the port stays open when one listener ends
operations.tls.certificate: reload/certificates: uses a new certificate as soon as its key matches
operations.tls.key: reload/certificates: uses a new certificate as soon as its key matches
operations.accountsToken: accounts/stored: if the configuration has no token for accounts
operations.names[]: operator/operations/listener: the server of the operations address
limits.bodyBytes: http/guards/limits: a body may have at most the configured number of bytes
limits.headerBytes: http/guards/limits: the headers of a request may have at most the configured number of bytes and of headers
limits.headers: http/guards/limits: the headers of a request may have at most the configured number of bytes and of headers
limits.jsonDepth: http/guards/limits: a JSON body may have at most the configured number of levels
limits.connections: http/guards/limits: the gateway closes one connection above the limit, and accepts a new connection after another has ended
limits.headersMs: http/guards/time-limits: the gateway ends a connection whose headers do not arrive completely in time
limits.requestMs: http/guards/time-limits: the gateway ends a connection whose body does not arrive completely in time, and sends nothing to the insurer
limits.uploadBytes: http/bodies/upload-limits: the gateway refuses an upload while the running uploads and this upload together exceed the disk limit
limits.answerBytes: insurers/whole-answers: the configuration limits the memory of all large answers, and a call without memory fails with a Retry-After
limits.uploadsPerCaller: http/bodies/upload-limits: the gateway limits the simultaneous uploads of one caller, and accepts the upload of another caller
limits.keepAliveMs: http/guards/time-limits: the gateway ends a kept-alive connection that is not used
overload.eventLoopDelayMs: insurers/admission: event loop is blocked
overload.longestWaitMs: insurers/shedding: event loop is blocked refuses requests
observation.searchesPerHour: operator/operations/wide-searches: counts and logs a caller with many searches once
drift.samplePercent: insurers/drift/drift: the drift watch compares only answers that break the declaration if \`samplePercent\` is 0
shutdown.noticeMs: rolling/termination.release: answers requests during the notice
issuers[]: callers/forged-tokens: no call with a forged token reaches the insurer
issuers[].issuer: submissions/key-isolation: two requests with the same key
issuers[].audience: callers/good-tokens: the gateway accepts a token with %s
issuers[].jwksUri: callers/issuer-keys: fetches the keys when the first token arrives
issuers[].algorithms[]: callers/good-tokens: accepts a token with a signature of
issuers[].typ: callers/good-tokens: needs no type
issuers[].scopesRequired: callers/scopes: ignores scopes if the issuer
issuers[].clockSkewSeconds: callers/token-times: the allowed clock difference of the token's issuer
authentication.cachedTokens: callers/remembered-tokens: replaces the least recently used cached token
authentication.cachedSeconds: callers/remembered-tokens: again after the configured time
accounts.claim: accounts/tenants: use different accounts
accounts.list[]: accounts/tenants: use different accounts
accounts.list[].id: accounts/configuration: lacks the account of an open submission
accounts.list[].tenant.issuer: accounts/tenants: use different accounts
accounts.list[].tenant.name: accounts/tenants: use different accounts
accounts.list[].segment: accounts/tenants: has no account at this provider
accounts.list[].credentials: accounts/tenants: use different accounts
accounts.list[].quotas.requestsPerDay: accounts/usage/quota-per-account: an account's quotas take precedence
accounts.list[].quotas.submissionsPerDay: accounts/usage/quota-per-account: an account's quotas take precedence
accounts.timeZone: accounts/usage/usage: the day in the configured time zone
accounts.quotas.requestsPerDay: accounts/usage/quotas: exceed the quota of requests by at most 1 %
accounts.quotas.submissionsPerDay: accounts/usage/quotas: does not count towards the quota
providers[].compare.identifiers: submissions/two-brokers: the gateway accepts equal identifiers of two brokers only with the setting \`compare.identifiers\`, which the log recommends
providers[].maintenance[]: operator/availability/maintenance: refuses submissions during maintenance
providers[].maintenance[].from: operator/availability/maintenance: refuses submissions during maintenance
providers[].maintenance[].to: operator/availability/maintenance: refuses submissions during maintenance
providers[].maintenance[].note: operator/availability/provider-status: the operator's maintenance windows
accounts.list[].settings: accounts/settings: combines the provider's settings with an account's settings
providers[].package: submissions/key-isolation: two requests with the same key
providers[].segment: insurers/forwarding: a provider is served below the segment that the configuration names
providers[].upstream: insurers/sandbox-process.release: the gateway lists sandbox scenarios for callers with a token, who select a scenario by a header or a test value
providers[].upstream.baseUrl: insurers/forwarding: a request to the insurer has the declared parameters, and no other headers of the caller
providers[].upstream.adapter: insurers/forwarding: a request to the insurer has the declared parameters, and no other headers of the caller
providers[].upstream.credentials: insurers/credentials/configured: the gateway uses a secret from a changed file as soon as two successive reads are equal
providers[].upstream.tls.authorities: insurers/insurer-tls: the gateway shows its certificate to an insurer, and trusts the authority that is configured for the insurer
providers[].upstream.tls.client.certificate: insurers/insurer-tls: the gateway shows its certificate to an insurer, and trusts the authority that is configured for the insurer
providers[].upstream.tls.client.key: insurers/insurer-tls: the gateway shows its certificate to an insurer, and trusts the authority that is configured for the insurer
providers[].answers.freshMinutes: insurers/fresh-lookups: a lookup is fresh as long as the operator allows, and a reload can change that time
providers[].failures[].endpoint: insurers/unmatched-answers: for one endpoint
providers[].failures[].status: insurers/unmatched-answers: a \`failures\` row of the operator sets the code, the outcome and the text of the problem
providers[].failures[]: insurers/unmatched-answers: a \`failures\` row of the operator sets the code, the outcome and the text of the problem
providers[].failures[].media: insurers/unmatched-answers: a \`failures\` row of the operator sets the code, the outcome and the text of the problem
providers[].failures[].at: insurers/unmatched-answers: a \`failures\` row of the operator sets the code, the outcome and the text of the problem
providers[].failures[].is[]: insurers/unmatched-answers: a \`failures\` row of the operator sets the code, the outcome and the text of the problem
providers[].failures[].code: insurers/unmatched-answers: a \`failures\` row of the operator sets the code, the outcome and the text of the problem
providers[].failures[].outcome: insurers/unmatched-answers: a \`failures\` row of the operator sets the code, the outcome and the text of the problem
providers[].failures[].afterActing: insurers/several-requests: a submission stays \`unknown\` after a failed later request, unless a code proves the rejection: %s
providers[].failures[].text: insurers/unmatched-answers: a \`failures\` row of the operator sets the code, the outcome and the text of the problem
providers[].failures[].why: insurers/unmatched-answers: no reason
reference.served: reference/pages: whose reference is switched off
reference.address: reference/pages: contain the configured segment and address
submissions.keys[].id: submissions/kept-submissions: the operator can change the encryption key: the old key still decrypts, and no submission is sent again
submissions.keys[].secret: submissions/kept-submissions: the gateway does not start if the encryption key has the right id and another secret
`;

/** A test of a key's effect. The file's path is relative to `test`; the test or a helper sets the key. */
export interface SeenElsewhere {
  readonly file: string;
  /** Part of the test's title. */
  readonly title: string;
}

/** The tests in other files, by configuration key. */
export const seenElsewhere: Readonly<Record<string, SeenElsewhere>> = Object.fromEntries(
  rows
    .trim()
    .split("\n")
    .map((row) => {
      const [key = "", file = "", title = ""] = row.split(": ");
      return [key, { file: `${file}.test.ts`, title }];
    }),
);
