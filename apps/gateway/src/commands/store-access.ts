/** The configured store, for the operator's commands. A gateway may use the store at the same time. */

export type { SubmissionState } from "@insurance-gateway/core/runtime";
export type { ListedAccount } from "../accounts/accounts.ts";
export type { AccountAdministration } from "../accounts/administration.ts";
export { createDays, daysAfter } from "../accounts/usage/days.ts";
export type { Verification } from "../operator/verification/verify-accounts.ts";
export type { StoredResolution, SubmissionRecord } from "../store/record.ts";
export type { Moment } from "../store/running-time.ts";
export type { LastAccountRecord } from "../store/store-identity.ts";
export type { UsageRow } from "../store/stored-usage.ts";
export { pseudonymOf } from "../submissions/identity.ts";
export * from "./administered-accounts.ts";
export * from "./configured-store.ts";
export * from "./tried-accounts.ts";
export * from "./whole-store.ts";
