import { type AnySandbox, defineSandbox } from "@insurance-gateway/core/sandbox";
import { providerL } from "./provider.ts";

/** The simulated insurer behind Provider L. */
export const sandbox: AnySandbox = defineSandbox<typeof providerL>({
  provider: providerL,
  seed: [],
  scenarios: [],
  handlers: {},
});
