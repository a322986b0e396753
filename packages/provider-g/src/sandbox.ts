import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerG } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider G. */
export const sandbox: AnySandbox = defineSandbox<typeof providerG>({
  provider: providerG,
  seed: [],
  scenarios: [],
  handlers,
});
