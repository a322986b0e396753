import { pageDefaults } from "@insurance-gateway/core/contract";
import {
  type AnySandbox,
  defineSandbox,
  type SandboxHandler,
} from "@insurance-gateway/core/sandbox";
import type { createApplication, searchApplications } from "./endpoints/index.ts";
import { providerD } from "./provider.ts";
import { asOf, decide, type KeptApplication, receive } from "./sandbox/application.ts";
import { dialect } from "./sandbox/dialect.ts";
import { scenarios } from "./sandbox/scenarios.ts";

const create: SandboxHandler<typeof createApplication, KeptApplication> = (
  { input, reference, scenario },
  records,
  clock,
) => {
  const received = receive(input.body, records.length + 1, clock());
  const { keep, ...answer } = decide(scenario, received);
  if (keep === undefined || reference === undefined) return { ...answer, ...(keep && { keep }) };
  return { ...answer, keep: keep.map((kept) => ({ ...kept, reference })) };
};

const search: SandboxHandler<typeof searchApplications, KeptApplication> = (
  { input: { query } },
  records,
  clock,
) => {
  const { start, limit } = { ...pageDefaults, ...query };
  const found = records
    .map(({ application }) => asOf(application, clock()))
    .filter(({ holder }) => holder.afm === query.clientAfm)
    .toReversed();
  const items = found.slice(start - 1, start - 1 + limit);
  return { status: 200, body: { items, start, limit, total: found.length } };
};

/** The simulated insurer behind Provider D: it keeps the applications it receives and finds them again. */
export const sandbox: AnySandbox = defineSandbox<typeof providerD, KeptApplication>({
  provider: providerD,
  seed: [],
  scenarios,
  handlers: { createApplication: create, searchApplications: search },
  dialect,
});
