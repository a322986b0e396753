import { defineProvider, type Provider } from "../contract/provider.ts";
import { listProviders, readProviderStatus } from "./provider-status.ts";
import { listScenarios } from "./scenarios.ts";
import { findSubmission, readSubmission } from "./submission-status.ts";

/** The gateway's own endpoints by name. */
interface OwnEndpoints {
  readonly readSubmission: typeof readSubmission;
  readonly findSubmission: typeof findSubmission;
  readonly listProviders: typeof listProviders;
  readonly readProviderStatus: typeof readProviderStatus;
  readonly listScenarios: typeof listScenarios;
}

/** Gateway: the state of submissions and the availability of providers. */
export const gatewayItself: Provider<OwnEndpoints> = defineProvider({
  // The paths of these endpoints do not begin with a provider's segment.
  id: "",
  name: "Gateway",
  lines: [],
  endpoints: { readSubmission, findSubmission, listProviders, readProviderStatus, listScenarios },
});
