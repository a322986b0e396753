import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerV } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider V. */
export const sandbox: AnySandbox = defineSandbox<typeof providerV>({
  provider: providerV,
  seed: [],
  scenarios: [],
  handlers,
});
