import { type AnySandbox, defineSandbox } from "@insurance-gateway/core/sandbox";
import { providerW } from "./provider.ts";

/** The stand-in for Provider W. */
export const sandbox: AnySandbox = defineSandbox<typeof providerW>({
  provider: providerW,
  seed: [],
  scenarios: [],
  handlers: {},
});
