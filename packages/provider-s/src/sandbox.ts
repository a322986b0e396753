import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerS } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider S. */
export const sandbox: AnySandbox = defineSandbox<typeof providerS>({
  provider: providerS,
  seed: [],
  scenarios: [],
  handlers,
});
