import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerP } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider P. */
export const sandbox: AnySandbox = defineSandbox<typeof providerP>({
  provider: providerP,
  seed: [],
  scenarios: [],
  handlers,
});
