import { pageDefaults } from "@insurance-gateway/core/contract";
import {
  type AnySandbox,
  defineSandbox,
  type SandboxHandler,
} from "@insurance-gateway/core/sandbox";
import type { createApplication, searchApplications } from "./endpoints/index.ts";
import { providerD } from "./provider.ts";
import { decide, type KeptApplication, receive } from "./sandbox/application.ts";
import { scenarios } from "./sandbox/scenarios.ts";

const create: SandboxHandler<typeof createApplication, KeptApplication> = (
  { input, scenario },
  records,
  clock,
) => {
  const received = receive(input.body, records.length + 1, clock());
  return decide(scenario, received);
};

const search: SandboxHandler<typeof searchApplications, KeptApplication> = (
  { input: { query } },
  records,
) => {
  const { start, limit } = { ...pageDefaults, ...query };
  const found = records
    .map(({ application }) => application)
    .filter(({ holder }) => holder.afm === query.clientAfm)
    .toReversed();
  const items = found.slice(start - 1, start - 1 + limit);
  return { status: 200, body: { items, start, limit, total: found.length } };
};

/** The stand-in for Provider D: it keeps the applications it receives and finds them again. */
export const sandbox: AnySandbox = defineSandbox<typeof providerD, KeptApplication>({
  provider: providerD,
  seed: [],
  scenarios,
  handlers: { createApplication: create, searchApplications: search },
});
