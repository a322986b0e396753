import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerE } from "./provider.ts";
import { dialect } from "./sandbox/dialect.ts";
import * as handlers from "./sandbox/handlers/index.ts";
import { scenarios } from "./sandbox/scenarios.ts";

/** The simulated insurer behind Provider E: it calculates, and stores nothing. */
export const sandbox: AnySandbox = defineSandbox<typeof providerE>({
  provider: providerE,
  seed: [],
  scenarios,
  handlers,
  dialect,
});
