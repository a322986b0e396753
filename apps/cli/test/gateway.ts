/** The parts of the gateway and of its test harness that these tests use. */
// @boundaries-ignore no package exports it
export { DEVELOPMENT_ISSUER } from "../../gateway/src/configuration/account-check.ts";
// @boundaries-ignore no package exports the store's functions
export { openSubmissionKeys } from "../../gateway/src/configuration/submission-store.ts";
// @boundaries-ignore no package exports the store's functions
export { acceptCommands, type ProcessCommands } from "../../gateway/src/reload/control.ts";
// @boundaries-ignore no package exports the store's functions
export {
  createEncryption,
  type Encryption,
  openStoreSecret,
} from "../../gateway/src/store/encryption.ts";
// @boundaries-ignore no package exports the store's functions
export { makeStore } from "../../gateway/src/store/exclusive-store.ts";
// @boundaries-ignore no package exports the store's functions
export * as opening from "../../gateway/src/store/open-store.ts";
// @boundaries-ignore no package exports the store's functions
export type { NewSubmission } from "../../gateway/src/store/record.ts";
// @boundaries-ignore no package exports the store's functions
export type { SubmissionStore } from "../../gateway/src/store/store.ts";
// @boundaries-ignore no package exports the store's functions
export type { CountedCalls } from "../../gateway/src/store/stored-usage.ts";
// @boundaries-ignore no package exports the store's functions
export { encryptMatchFields } from "../../gateway/src/submissions/match.ts";
// @boundaries-ignore no package exports the store's functions
export { tableBelow } from "../../gateway/test/deployment/document.ts";
// @boundaries-ignore no package exports the store's functions
export { textOf } from "../../gateway/test/deployment/repository.ts";
// @boundaries-ignore no package exports the store's functions
export {
  applicationBody,
  createApplicationsInsurer,
} from "../../gateway/test/harness/applications.ts";
// @boundaries-ignore no package exports it
export { makeCertificate } from "../../gateway/test/harness/client-certificate.ts";
// @boundaries-ignore no package exports the store's functions
export {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../gateway/test/harness/gateway-in-process.ts";
// @boundaries-ignore no package exports the store's functions
export {
  type Arrival,
  type Behaviour,
  type Insurer,
  json,
  startInsurer,
} from "../../gateway/test/harness/insurer.ts";
// @boundaries-ignore no package exports the store's functions
export { openRaw } from "../../gateway/test/harness/send-raw.ts";
// @boundaries-ignore no package exports the store's functions
export { nothingFound } from "../../gateway/test/harness/site.ts";
// @boundaries-ignore no package exports the store's functions
export {
  keep,
  momentAt,
  RECEIVED_AT,
  sampleSubmission,
} from "../../gateway/test/harness/store-samples.ts";
