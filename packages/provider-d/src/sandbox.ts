import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerD } from "./provider.ts";
import type { KeptApplication } from "./sandbox/application.ts";
import { dialect } from "./sandbox/dialect.ts";
import * as handlers from "./sandbox/handlers/index.ts";
import { scenarios } from "./sandbox/scenarios.ts";

/** The simulated insurer behind Provider D: it stores the applications that it receives, and its search finds them. */
export const sandbox: AnySandbox = defineSandbox<typeof providerD, KeptApplication>({
  provider: providerD,
  seed: [],
  scenarios,
  handlers,
  dialect,
});
