/** The configuration keys whose effect another file tests: `key: file: part of the test's title`. */
const rows = `
listen.tls.certificate: http/guards/tls: answers over TLS
listen.tls.key: http/guards/tls: the gateway does not start if its private key is missing or belongs to another certificate
listen.tlsEndsBefore: deployment/production.release: an unknown load balancer
listen.basePath: insurers/forwarding: the gateway finds providers only below the configured path prefix
listen.trustedProxies[]: http/guards/forwarded-addresses: the gateway reads the caller's address only from the part of X-Forwarded-For that a trusted proxy added
listen.sharedPort: http/guards/shared-port: listeners with \`sharedPort\` can use the same port, and the port stays open when one of the listeners stops
operations.tls.certificate: reload/certificates: the %s uses a new certificate as soon as the certificate's key is also new, and open connections continue
operations.tls.key: reload/certificates: the %s uses a new certificate as soon as the certificate's key is also new, and open connections continue
operations.accountsToken: accounts/stored: if the configuration has no token for accounts
operations.names[]: operator/operations/listener: the server of the operations address
limits.bodyBytes: http/guards/limits: a request body may have at most the configured number of bytes
limits.tokenBytes: reload/issuers: a reload applies a new maximum length to verified tokens
limits.headerBytes: http/guards/limits: the gateway refuses a request whose headers exceed the configured number of bytes or of headers
limits.headers: http/guards/limits: the gateway refuses a request whose headers exceed the configured number of bytes or of headers
limits.jsonDepth: http/guards/limits: the gateway refuses a JSON body with more than the configured number of nested levels
limits.connections: http/guards/limits: the gateway closes each new connection above the maximum of open connections, until an open connection has ended
limits.headersMs: http/guards/time-limits: the gateway ends a connection if the headers of a request do not arrive completely in time
limits.requestMs: http/guards/time-limits: the gateway ends a connection if a request body does not arrive completely in time, and sends nothing to the insurer
limits.uploadBytes: http/bodies/upload-limits: the gateway refuses an upload while the running uploads and this upload together exceed the disk limit
limits.answerBytes: insurers/whole-answers: the gateway limits the memory for all large answers, and a call without memory fails with a Retry-After
limits.uploadsPerCaller: http/bodies/upload-limits: a caller at the maximum of simultaneous uploads cannot begin another upload, but another caller can
limits.keepAliveMs: http/guards/time-limits: the gateway ends a kept-alive connection if the caller does not use the connection within the idle limit
overload.eventLoopDelayMs: insurers/admission: event loop is blocked
overload.longestWaitMs: insurers/shedding: a process refuses requests with a Retry-After while its event loop is blocked, and accepts all requests afterwards
observation.searchesPerHour: operator/operations/wide-searches: the gateway counts and logs a caller with many searches only once, and names neither the caller nor a customer
drift.samplePercent: insurers/drift/drift: the drift watch compares only unusable answers if \`samplePercent\` is 0
shutdown.noticeMs: rolling/termination.release: the gateway's readiness check fails after SIGTERM, but the gateway accepts requests until \`shutdown.noticeMs\` is over
issuers[]: callers/forged-tokens: a call with a forged token does not reach the insurer, unlike a call with the original token
issuers[].issuer: submissions/key-isolation: two requests with the same key
issuers[].audience: callers/good-tokens: the gateway accepts a token with %s
issuers[].jwksUri: callers/issuer-keys: the gateway fetches an issuer's keys only when a first token arrives, and only once for several simultaneous tokens
issuers[].algorithms[]: callers/good-tokens: accepts a token with a signature of
issuers[].typ: callers/good-tokens: a token needs no \`typ\` and no \`kid\` if the token's issuer is configured without a type and has only one key
issuers[].scopesRequired: callers/scopes: ignores scopes if the issuer
issuers[].clockSkewSeconds: callers/token-times: the gateway checks a token's times with the clock difference that is configured for the token's issuer
authentication.cachedTokens: callers/remembered-tokens: replaces the least recently used cached token
authentication.cachedSeconds: callers/remembered-tokens: again after the configured time
authentication.refusedTokens: callers/token-floods: the gateway answers 429 with Retry-After to new tokens after too many refused tokens
accounts.claim: accounts/tenants: use different accounts
accounts.list[]: accounts/tenants: use different accounts
accounts.list[].id: accounts/configuration: the gateway refuses to start if the account of an open submission is not in the configuration
accounts.list[].tenant.issuer: accounts/tenants: use different accounts
accounts.list[].tenant.name: accounts/tenants: use different accounts
accounts.list[].segment: accounts/tenants: the gateway answers 403 to a call if the token's tenant has an account only at another provider
accounts.list[].credentials: accounts/tenants: use different accounts
accounts.list[].quotas.requestsPerDay: accounts/usage/quota-per-account: an account's quotas take precedence
accounts.list[].quotas.submissionsPerDay: accounts/usage/quota-per-account: an account's quotas take precedence
accounts.timeZone: accounts/usage/usage: the usage of a call belongs to the day of the call in the configured time zone
accounts.quotas.requestsPerDay: accounts/usage/quotas: exceed the quota of requests by at most 1 %
accounts.quotas.submissionsPerDay: accounts/usage/quotas: does not count towards the quota
providers[].compare.identifiers: submissions/two-brokers: the gateway accepts equal identifiers of two brokers only with the setting \`compare.identifiers\`, which the log recommends
providers[].maintenance[]: operator/availability/maintenance: refuses submissions during maintenance
providers[].maintenance[].from: operator/availability/maintenance: refuses submissions during maintenance
providers[].maintenance[].to: operator/availability/maintenance: refuses submissions during maintenance
providers[].maintenance[].note: operator/availability/provider-status: the operator's maintenance windows
accounts.list[].settings: accounts/settings: combines the provider's settings with an account's settings
providers[].package: submissions/key-isolation: two requests with the same key
providers[].segment: insurers/forwarding: the gateway serves a provider below the path segment that the configuration names
providers[].upstream: insurers/sandbox-process.release: the gateway lists the sandbox scenarios to callers with a token, and a header or a test value selects a scenario
providers[].upstream.baseUrl: insurers/forwarding: a request to the insurer has the declared parameters, and no other headers of the caller
providers[].upstream.adapter: insurers/forwarding: a request to the insurer has the declared parameters, and no other headers of the caller
providers[].upstream.credentials: insurers/credentials/configured: the gateway uses the new secret in a changed file as soon as two reads in a row return the same text
providers[].upstream.tls.authorities: insurers/insurer-tls: the gateway presents its client certificate to an insurer, and trusts the authority that is configured for the insurer
providers[].upstream.tls.client.certificate: insurers/insurer-tls: the gateway presents its client certificate to an insurer, and trusts the authority that is configured for the insurer
providers[].upstream.tls.client.key: insurers/insurer-tls: the gateway presents its client certificate to an insurer, and trusts the authority that is configured for the insurer
providers[].answers.freshMinutes: insurers/fresh-lookups: the operator can shorten the time for which a lookup is fresh, and a reload can change that time
providers[].callerLimit.requests: reload/reload: a reload keeps the state of the circuit breaker and the number of a caller's requests
providers[].failures[].endpoint: insurers/unmatched-answers: for one endpoint
providers[].failures[].status: insurers/unmatched-answers: an operator's \`failures\` row sets the code, the outcome and the text of the problem
providers[].failures[]: insurers/unmatched-answers: an operator's \`failures\` row sets the code, the outcome and the text of the problem
providers[].failures[].media: insurers/unmatched-answers: an operator's \`failures\` row sets the code, the outcome and the text of the problem
providers[].failures[].at: insurers/unmatched-answers: an operator's \`failures\` row sets the code, the outcome and the text of the problem
providers[].failures[].is[]: insurers/unmatched-answers: an operator's \`failures\` row sets the code, the outcome and the text of the problem
providers[].failures[].code: insurers/unmatched-answers: an operator's \`failures\` row sets the code, the outcome and the text of the problem
providers[].failures[].outcome: insurers/unmatched-answers: an operator's \`failures\` row sets the code, the outcome and the text of the problem
providers[].failures[].afterActing: insurers/several-requests: a submission is \`unknown\` if a request fails after the insurer has acted, except if a code proves the rejection: %s
providers[].failures[].text: insurers/unmatched-answers: an operator's \`failures\` row sets the code, the outcome and the text of the problem
providers[].failures[].why: insurers/unmatched-answers: no reason
reference.served: reference/pages: whose reference is switched off
reference.address: reference/pages: the reference's documents contain the configured segments and the gateway's address in all places
submissions.keys[].id: submissions/kept-submissions: the operator can change the encryption key: the old key still decrypts, and no submission is sent again
submissions.keys[].secret: submissions/kept-submissions: the gateway does not start if an encryption key has the id of the store's key but another secret
`;

/** A test of a key's effect. The file's path is relative to the folder `test`. The test or a helper sets the key. */
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
