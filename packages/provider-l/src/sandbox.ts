import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerL } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider L. */
export const sandbox: AnySandbox = defineSandbox<typeof providerL>({
  provider: providerL,
  seed: [],
  scenarios: [],
  handlers,
});
