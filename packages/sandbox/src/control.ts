import type {
  AnySandbox,
  SandboxCredential,
  SandboxScenario,
  ScenarioProblem,
} from "@insurance-gateway/adapter/sandbox";
import type { ListedScenario } from "@insurance-gateway/core/runtime";
import type { FastifyInstance } from "fastify";
import type { Attachments } from "./attachments.ts";

/** Scenario of a simulated insurer, as the gateway lists it. */
interface PublishedScenario extends ListedScenario {
  readonly problem: ScenarioProblem | null;
}

/** Answer to a gateway that attaches. */
export interface AttachAnswer {
  /** Identifies the files that this sandbox serves. A gateway that needs other files replaces the sandbox. */
  readonly fingerprint: string;
  readonly scenarios: readonly PublishedScenario[];
  /** Gateway settings for each simulated insurer, by the provider's id. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Credentials that each simulated insurer requires, by the provider's id. */
  readonly credentials: Readonly<Record<string, readonly SandboxCredential[]>>;
}

/** Dependencies of the control routes. */
export interface ControlOptions {
  readonly sandboxes: readonly AnySandbox[];
  readonly attachments: Attachments;
  readonly fingerprint: string;
  /** Stops the sandbox. */
  readonly leave: () => void;
}

/** Type of the route by which a gateway process attaches or detaches. */
interface AttachmentRoute {
  Params: { readonly processId: string };
}

/** Adds the routes by which gateways attach to the sandbox, detach from it and replace it. */
export function addControlRoutes(server: FastifyInstance, options: ControlOptions): void {
  const answer: AttachAnswer = {
    fingerprint: options.fingerprint,
    scenarios: options.sandboxes.flatMap(publishedScenariosOf),
    settings: Object.fromEntries(
      options.sandboxes.map(({ provider, settings = {} }) => [provider.id, settings]),
    ),
    credentials: Object.fromEntries(
      options.sandboxes.map(({ dialect, provider }) => [provider.id, dialect?.credentials ?? []]),
    ),
  };
  server.get("/-/", async () => answer);
  server.put<AttachmentRoute>("/-/attachments/:processId", async (request) => {
    options.attachments.attach(Number(request.params.processId));
    return answer;
  });
  server.delete<AttachmentRoute>("/-/attachments/:processId", async (request, reply) => {
    options.attachments.detach(Number(request.params.processId));
    if (!options.attachments.inUse()) options.leave();
    return reply.code(204).send();
  });
  server.delete("/-/", async (_, reply) => {
    if (options.attachments.inUse()) return reply.code(409).send();
    options.leave();
    return reply.code(204).send();
  });
}

/** Returns the scenarios of one simulated insurer for the gateway's list. */
function publishedScenariosOf({
  provider,
  recorded = [],
  scenarios,
}: AnySandbox): readonly PublishedScenario[] {
  const all: readonly SandboxScenario[] = [...scenarios, ...recorded];
  return all.map(({ name, endpoint, effect, problem, when }) => ({
    provider: provider.id,
    endpoint,
    name,
    effect,
    when: when ?? null,
    problem: problem ?? null,
  }));
}
