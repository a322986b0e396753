import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerT } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider T. */
export const sandbox: AnySandbox = defineSandbox<typeof providerT>({
  provider: providerT,
  seed: [],
  scenarios: [],
  handlers,
});
