/** A test that sees the effect of a key: in its file, relative to `test`, the key is set by the test or its helper. */
export interface SeenElsewhere {
  readonly file: string;
  /** Part of the test's title. */
  readonly title: string;
}

/** The keys of the configuration whose effect another test sees. */
export const seenElsewhere: Readonly<Record<string, SeenElsewhere>> = {
  "listen.tls.certificate": { file: "http/guards/tls.test.ts", title: "answers over TLS" },
  "listen.tls.key": { file: "http/guards/tls.test.ts", title: "another certificate's key" },
  "listen.tlsEndsBefore": { file: "production.release.test.ts", title: "an unknown load balancer" },
  "listen.trustedProxies[]": {
    file: "http/guards/forwarded-addresses.test.ts",
    title: "is accepted from a trusted proxy",
  },
  "listen.sharedPort": {
    file: "http/guards/shared-port.test.ts",
    title: "can be shared where every listener",
  },
  "operations.tls.certificate": {
    file: "reload/certificates.test.ts",
    title:
      "%s see a new certificate of their address once its key fits, and open connections go on",
  },
  "operations.tls.key": {
    file: "reload/certificates.test.ts",
    title:
      "%s see a new certificate of their address once its key fits, and open connections go on",
  },
  "operations.accountsToken": {
    file: "accounts/stored.test.ts",
    title: "is not there without a token",
  },
  "operations.names[]": {
    file: "operator/operations/listener.test.ts",
    title: "the operations listener",
  },
  "limits.bodyBytes": { file: "http/guards/limits.test.ts", title: "is the configuration's" },
  "limits.headerBytes": { file: "http/guards/limits.test.ts", title: "in bytes and in number" },
  "limits.headers": { file: "http/guards/limits.test.ts", title: "in bytes and in number" },
  "limits.jsonDepth": {
    file: "http/guards/limits.test.ts",
    title: "in depth is the configuration's",
  },
  "limits.connections": {
    file: "http/guards/limits.test.ts",
    title: "closes one connection too many at once",
  },
  "limits.headersMs": {
    file: "http/guards/time-limits.test.ts",
    title: "for headers that do not come whole",
  },
  "limits.requestMs": {
    file: "http/guards/time-limits.test.ts",
    title: "for a body that does not come whole",
  },
  "limits.uploadBytes": {
    file: "http/bodies/upload-limits.test.ts",
    title: "more bytes than the disk",
  },
  "limits.answerBytes": { file: "insurers/whole-answers.test.ts", title: "is the configuration's" },
  "limits.uploadsPerCaller": {
    file: "http/bodies/upload-limits.test.ts",
    title: "one caller at once",
  },
  "limits.keepAliveMs": {
    file: "http/guards/time-limits.test.ts",
    title: "is kept alive and not used",
  },
  "overload.eventLoopDelayMs": {
    file: "insurers/admission.test.ts",
    title: "event loop is blocked",
  },
  "overload.longestWaitMs": {
    file: "insurers/shedding.test.ts",
    title: "event loop is blocked refuses requests",
  },
  "observation.searchesPerHour": {
    file: "operator/operations/wide-searches.test.ts",
    title: "is counted and logged once",
  },
  "drift.samplePercent": {
    file: "insurers/drift/drift.test.ts",
    title: "are compared all the same, and no others",
  },
  "shutdown.noticeMs": {
    file: "rolling/termination.release.test.ts",
    title: "as long as the notice lasts",
  },
  "issuers[]": { file: "callers/forged-tokens.test.ts", title: "never reaches the insurer" },
  "issuers[].issuer": {
    file: "submissions/key-isolation.test.ts",
    title: "two requests with the same key",
  },
  "issuers[].audience": {
    file: "callers/good-tokens.test.ts",
    title: "is accepted that has",
  },
  "issuers[].jwksUri": {
    file: "callers/issuer-keys.test.ts",
    title: "are fetched when the first token comes",
  },
  "issuers[].algorithms[]": {
    file: "callers/good-tokens.test.ts",
    title: "is accepted with a signature of",
  },
  "issuers[].typ": { file: "callers/good-tokens.test.ts", title: "needs no type" },
  "issuers[].scopesRequired": { file: "callers/scopes.test.ts", title: "a token's scopes" },
  "issuers[].clockSkewSeconds": {
    file: "callers/token-times.test.ts",
    title: "by each issuer's own clock",
  },
  "authentication.cachedTokens": {
    file: "callers/remembered-tokens.test.ts",
    title: "makes room for another",
  },
  "authentication.cachedSeconds": {
    file: "callers/remembered-tokens.test.ts",
    title: "for as long as is configured",
  },
  "accounts.claim": { file: "accounts/tenants.test.ts", title: "are two tenants" },
  "accounts.list[]": { file: "accounts/tenants.test.ts", title: "are two tenants" },
  "accounts.list[].id": { file: "accounts/configuration.test.ts", title: "are kept while" },
  "accounts.list[].tenant.issuer": {
    file: "accounts/tenants.test.ts",
    title: "are two tenants",
  },
  "accounts.list[].tenant.name": {
    file: "accounts/tenants.test.ts",
    title: "are two tenants",
  },
  "accounts.list[].segment": { file: "accounts/tenants.test.ts", title: "is 403 at it" },
  "accounts.list[].credentials": {
    file: "accounts/tenants.test.ts",
    title: "are two tenants",
  },
  "accounts.list[].quotas.requestsPerDay": {
    file: "accounts/usage/quota-per-account.test.ts",
    title: "has quotas of its own",
  },
  "accounts.list[].quotas.submissionsPerDay": {
    file: "accounts/usage/quota-per-account.test.ts",
    title: "has quotas of its own",
  },
  "accounts.timeZone": {
    file: "accounts/usage/usage.test.ts",
    title: "counts on the day of the configured",
  },
  "accounts.quotas.requestsPerDay": {
    file: "accounts/usage/quotas.test.ts",
    title: "is exceeded by at most",
  },
  "accounts.quotas.submissionsPerDay": {
    file: "accounts/usage/quotas.test.ts",
    title: "gets back what was",
  },
  "providers[].compare.identifiers": {
    file: "submissions/two-brokers.test.ts",
    title: "is believed once the operator has said so",
  },
  "providers[].maintenance[]": {
    file: "operator/availability/maintenance.test.ts",
    title: "until it ends",
  },
  "providers[].maintenance[].from": {
    file: "operator/availability/maintenance.test.ts",
    title: "until it ends",
  },
  "providers[].maintenance[].to": {
    file: "operator/availability/maintenance.test.ts",
    title: "until it ends",
  },
  "providers[].maintenance[].note": {
    file: "operator/availability/provider-status.test.ts",
    title: "what the operator has declared",
  },
  "accounts.list[].settings": {
    file: "accounts/settings.test.ts",
    title: "are the provider's with its own over them",
  },
  "providers[].package": {
    file: "submissions/key-isolation.test.ts",
    title: "two requests with the same key",
  },
  "providers[].segment": { file: "forwarding.test.ts", title: "has a provider's own segment" },
  "providers[].upstream": {
    file: "sandbox-process.release.test.ts",
    title: "are listed for those who have a token",
  },
  "providers[].upstream.baseUrl": { file: "forwarding.test.ts", title: "is the declared call" },
  "providers[].upstream.adapter": { file: "forwarding.test.ts", title: "is the declared call" },
  "providers[].upstream.credentials": {
    file: "insurers/credentials/configured.test.ts",
    title: "that are not fetched are those of the file as it is now",
  },
  "providers[].upstream.tls.authorities": {
    file: "insurer-tls.test.ts",
    title: "one of its own authority",
  },
  "providers[].upstream.tls.client.certificate": {
    file: "insurer-tls.test.ts",
    title: "may ask for a certificate",
  },
  "providers[].upstream.tls.client.key": {
    file: "insurer-tls.test.ts",
    title: "may ask for a certificate",
  },
  "providers[].answers.freshMinutes": {
    file: "insurers/fresh-lookups.test.ts",
    title: "is fresh for as long as the operator allows",
  },
  "providers[].failures[].endpoint": {
    file: "unmatched-answers.test.ts",
    title: "for one endpoint",
  },
  "providers[].failures[].status": {
    file: "unmatched-answers.test.ts",
    title: "is what a row says",
  },
  "providers[].failures[]": { file: "unmatched-answers.test.ts", title: "is what a row says" },
  "providers[].failures[].media": {
    file: "unmatched-answers.test.ts",
    title: "is what a row says",
  },
  "providers[].failures[].at": { file: "unmatched-answers.test.ts", title: "is what a row says" },
  "providers[].failures[].is[]": { file: "unmatched-answers.test.ts", title: "is what a row says" },
  "providers[].failures[].code": { file: "unmatched-answers.test.ts", title: "is what a row says" },
  "providers[].failures[].outcome": {
    file: "unmatched-answers.test.ts",
    title: "is what a row says",
  },
  "providers[].failures[].afterActing": {
    file: "several-requests.test.ts",
    title: "may have been carried out when a later request",
  },
  "providers[].failures[].text": { file: "unmatched-answers.test.ts", title: "is what a row says" },
  "providers[].failures[].why": { file: "unmatched-answers.test.ts", title: "without its reason" },
  "reference.served": { file: "reference/pages.test.ts", title: "whose reference is switched off" },
  "reference.address": {
    file: "reference/pages.test.ts",
    title: "have the configured segment and address",
  },
  "submissions.keys[].id": { file: "kept-submissions.test.ts", title: "can be changed" },
  "submissions.keys[].secret": {
    file: "kept-submissions.test.ts",
    title: "another one of the same name",
  },
};
