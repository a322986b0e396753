import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerA } from "./provider.ts";
import { dialect } from "./sandbox/dialect.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider A: it has the brands that are sold in Greece, and stores nothing. */
export const sandbox: AnySandbox = defineSandbox<typeof providerA>({
  provider: providerA,
  seed: [],
  scenarios: [],
  handlers,
  dialect,
});
