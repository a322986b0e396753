import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerI } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider I. */
export const sandbox: AnySandbox = defineSandbox<typeof providerI>({
  provider: providerI,
  seed: [],
  scenarios: [],
  handlers,
});
