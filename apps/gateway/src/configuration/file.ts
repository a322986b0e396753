import type * as z from "zod";
import type { tlsOf } from "./schema/credentials.ts";
import type { insurerCredentials } from "./schema/provider.ts";
import type { configurationSchema } from "./schema.ts";

export type { SecretConfiguration } from "./schema/secret.ts";

/** A value that is readonly at every depth. */
type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;

/** The content of a configuration file, with defaults. The schemas describe each key. */
export type ConfigurationFile = DeepReadonly<z.output<typeof configurationSchema>>;

export type AuthenticationConfiguration = ConfigurationFile["authentication"];
export type CallerListenConfiguration = ConfigurationFile["listen"];
export type AccountsConfiguration = ConfigurationFile["accounts"];
export type AccountConfiguration = AccountsConfiguration["list"][number];
export type QuotasConfiguration = AccountsConfiguration["quotas"];
export type IssuerConfiguration = ConfigurationFile["issuers"][number];
export type LimitsConfiguration = ConfigurationFile["limits"];
export type ListenConfiguration = Pick<CallerListenConfiguration, "host" | "port">;
export type OverloadConfiguration = ConfigurationFile["overload"];

export type ProviderConfiguration = ConfigurationFile["providers"][number];
export type AnswersConfiguration = ProviderConfiguration["answers"];
export type BreakerConfiguration = ProviderConfiguration["breaker"];
export type BulkheadConfiguration = ProviderConfiguration["bulkhead"];
export type CallerLimitConfiguration = ProviderConfiguration["callerLimit"];
export type CompareConfiguration = ProviderConfiguration["compare"];
export type ConfiguredFailure = ProviderConfiguration["failures"][number];
export type MaintenanceConfiguration = ProviderConfiguration["maintenance"][number];
export type RetriesConfiguration = ProviderConfiguration["retries"];
export type TimeoutsConfiguration = ProviderConfiguration["timeouts"];

export type TlsConfiguration = DeepReadonly<z.output<ReturnType<typeof tlsOf>>>;
/** One credential, or several that the gateway sends together. */
export type CredentialsConfiguration = DeepReadonly<z.output<typeof insurerCredentials>>;
/** One credential that the gateway sends to an insurer. */
export type CredentialConfiguration = Exclude<CredentialsConfiguration, readonly unknown[]>;
export type OAuth2Configuration = Extract<CredentialConfiguration, { readonly type: "oauth2" }>;
export type LoginConfiguration = Pick<
  Extract<CredentialConfiguration, { readonly type: "login" }>,
  "password" | "username"
>;
