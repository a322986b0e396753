import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerQ } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider Q. */
export const sandbox: AnySandbox = defineSandbox<typeof providerQ>({
  provider: providerQ,
  seed: [],
  scenarios: [],
  handlers,
});
