import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerM } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider M. */
export const sandbox: AnySandbox = defineSandbox<typeof providerM>({
  provider: providerM,
  seed: [],
  scenarios: [],
  handlers,
});
