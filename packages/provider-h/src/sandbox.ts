import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerH } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider H. */
export const sandbox: AnySandbox = defineSandbox<typeof providerH>({
  provider: providerH,
  seed: [],
  scenarios: [],
  handlers,
});
