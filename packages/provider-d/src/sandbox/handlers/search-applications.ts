import type { SandboxHandler } from "@insurance-gateway/adapter/sandbox";
import { pageDefaults } from "@insurance-gateway/core/contract";
import type { searchApplications } from "../../endpoints/index.ts";
import { type KeptApplication, progressAt } from "../application.ts";

export const searchApplicationsHandler: SandboxHandler<
  typeof searchApplications,
  KeptApplication
> = ({ input: { query } }, records, clock) => {
  const { start, limit } = { ...pageDefaults, ...query };
  const found = records
    .map(({ application }) => progressAt(application, clock()))
    .filter(({ holder }) => holder.afm === query.clientAfm)
    .toReversed();
  const items = found.slice(start - 1, start - 1 + limit);
  return { status: 200, body: { items, start, limit, total: found.length } };
};
