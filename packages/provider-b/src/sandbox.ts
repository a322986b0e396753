import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerB } from "./provider.ts";
import { dialect } from "./sandbox/dialect.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider B: it has every country of ISO 3166-1, and stores nothing. */
export const sandbox: AnySandbox = defineSandbox<typeof providerB>({
  provider: providerB,
  seed: [],
  scenarios: [],
  handlers,
  dialect,
});
