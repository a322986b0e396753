import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerN } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider N. */
export const sandbox: AnySandbox = defineSandbox<typeof providerN>({
  provider: providerN,
  seed: [],
  scenarios: [],
  handlers,
});
