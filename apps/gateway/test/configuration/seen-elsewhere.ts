/** The configuration keys whose effect another file tests: `key: file: part of the test's title`. */
const rows = `
listen.tls.certificate: http/guards/tls: answers over TLS
listen.tls.key: http/guards/tls: another certificate's key
listen.tlsEndsBefore: deployment/production.release: an unknown load balancer
listen.trustedProxies[]: http/guards/forwarded-addresses: is accepted from a trusted proxy
listen.sharedPort: http/guards/shared-port: can be shared where every listener
operations.tls.certificate: reload/certificates: uses a new certificate as soon as its key matches
operations.tls.key: reload/certificates: uses a new certificate as soon as its key matches
operations.accountsToken: accounts/stored: if the configuration has no token for accounts
operations.names[]: operator/operations/listener: the server of the operations address
limits.bodyBytes: http/guards/limits: is the configuration's
limits.headerBytes: http/guards/limits: in bytes and in number
limits.headers: http/guards/limits: in bytes and in number
limits.jsonDepth: http/guards/limits: the limit of a body's depth
limits.connections: http/guards/limits: closes one connection too many at once
limits.headersMs: http/guards/time-limits: for headers that do not come whole
limits.requestMs: http/guards/time-limits: for a body that does not come whole
limits.uploadBytes: http/bodies/upload-limits: more bytes than the disk
limits.answerBytes: insurers/whole-answers: is the configuration's
limits.uploadsPerCaller: http/bodies/upload-limits: one caller at once
limits.keepAliveMs: http/guards/time-limits: is kept alive and not used
overload.eventLoopDelayMs: insurers/admission: event loop is blocked
overload.longestWaitMs: insurers/shedding: event loop is blocked refuses requests
observation.searchesPerHour: operator/operations/wide-searches: counts and logs a caller with many searches once
drift.samplePercent: insurers/drift/drift: are compared all the same, and no others
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
providers[].compare.identifiers: submissions/two-brokers: is believed once the operator has said so
providers[].maintenance[]: operator/availability/maintenance: refuses submissions during maintenance
providers[].maintenance[].from: operator/availability/maintenance: refuses submissions during maintenance
providers[].maintenance[].to: operator/availability/maintenance: refuses submissions during maintenance
providers[].maintenance[].note: operator/availability/provider-status: the operator's maintenance windows
accounts.list[].settings: accounts/settings: combines the provider's settings with an account's settings
providers[].package: submissions/key-isolation: two requests with the same key
providers[].segment: insurers/forwarding: has a provider's own segment
providers[].upstream: insurers/sandbox-process.release: are listed for those who have a token
providers[].upstream.baseUrl: insurers/forwarding: is the declared call
providers[].upstream.adapter: insurers/forwarding: is the declared call
providers[].upstream.credentials: insurers/credentials/configured: credentials that are not fetched are read from the current file
providers[].upstream.tls.authorities: insurers/insurer-tls: one of its own authority
providers[].upstream.tls.client.certificate: insurers/insurer-tls: may ask for a certificate
providers[].upstream.tls.client.key: insurers/insurer-tls: may ask for a certificate
providers[].answers.freshMinutes: insurers/fresh-lookups: is fresh for as long as the operator allows
providers[].failures[].endpoint: insurers/unmatched-answers: for one endpoint
providers[].failures[].status: insurers/unmatched-answers: a row that the operator adds has a row's effect
providers[].failures[]: insurers/unmatched-answers: a row that the operator adds has a row's effect
providers[].failures[].media: insurers/unmatched-answers: a row that the operator adds has a row's effect
providers[].failures[].at: insurers/unmatched-answers: a row that the operator adds has a row's effect
providers[].failures[].is[]: insurers/unmatched-answers: a row that the operator adds has a row's effect
providers[].failures[].code: insurers/unmatched-answers: a row that the operator adds has a row's effect
providers[].failures[].outcome: insurers/unmatched-answers: a row that the operator adds has a row's effect
providers[].failures[].afterActing: insurers/several-requests: may have been carried out when a later request
providers[].failures[].text: insurers/unmatched-answers: a row that the operator adds has a row's effect
providers[].failures[].why: insurers/unmatched-answers: without its reason
reference.served: reference/pages: whose reference is switched off
reference.address: reference/pages: contain the configured segment and address
submissions.keys[].id: submissions/kept-submissions: can be changed
submissions.keys[].secret: submissions/kept-submissions: another one of the same name
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
