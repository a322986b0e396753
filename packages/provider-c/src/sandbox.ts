import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerC } from "./provider.ts";
import { applications, type KeptApplication } from "./sandbox/application.ts";
import { dialect } from "./sandbox/dialect.ts";
import * as handlers from "./sandbox/handlers/index.ts";
import { scenarios } from "./sandbox/scenarios.ts";

/** The simulated insurer behind Provider C: it has the vehicle usages and three applications with their documents. */
export const sandbox: AnySandbox = defineSandbox<typeof providerC, KeptApplication>({
  provider: providerC,
  seed: applications,
  scenarios,
  handlers,
  dialect,
});
