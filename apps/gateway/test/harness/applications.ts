import { randomInt } from "node:crypto";
import type { SandboxAnswer, SandboxRecord } from "@insurance-gateway/adapter/sandbox";
import { sandbox } from "@insurance-gateway/provider-d/sandbox";
import { specificationRequests } from "@insurance-gateway/specification";
import type { Arrival, InsurerAnswer } from "@insurance-gateway/testkit";

/** Returns the body of the specification's application for a customer and a plate. Default: a random customer. */
export function applicationBody(
  afm: string = String(randomInt(100_000_000, 999_999_999)),
  plateNumber = "ΙΚΥ-1234",
): object {
  const { body } = specificationRequests().find(({ number }) => number === 4) ?? {};
  const { vehicle, holder } = { vehicle: {}, holder: {}, ...body };
  return {
    ...body,
    vehicle: { ...vehicle, plateNumber },
    holder: { ...holder, afm },
  };
}

/** Returns provider D's answer to an application: the application's body and the fields that the insurer adds. */
export function listedApplication<Added extends { readonly applicationId: string }>(
  body: object,
  added: Added,
): object & Added {
  const { policy } = { policy: {}, ...body };
  return {
    statusReasons: [],
    premium: null,
    payment: null,
    documents: [],
    status: "RECEIVED",
    ...body,
    policy: { policyNumber: null, ...policy },
    ...added,
  };
}

/** Sends an application to a gateway without the project's client. */
export function submitApplication(
  gateway: { readonly address: string; readonly token: string },
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${gateway.address}/provider-d/applications`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${gateway.token}`,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/**
 * Creates an insurer of provider D for tests with faults. The insurer stores the executed applications, and finds these
 * applications in searches.
 */
export function createApplicationsInsurer(clock: () => Date = () => new Date()): {
  readonly execute: (arrival: Pick<Arrival, "body" | "method" | "query">) => InsurerAnswer;
  /** The applications that the insurer has executed. */
  readonly records: readonly SandboxRecord[];
} {
  const records: SandboxRecord[] = [];
  const handle = (name: string, input: unknown): InsurerAnswer => {
    const answer = sandbox.handlers[name]?.({ input, scenario: null }, records, clock);
    if (answer === undefined) return { status: 404, body: "{}" };
    records.push(...(answer.keep ?? []));
    return asText(answer);
  };
  return {
    records,
    execute({ body, method, query }) {
      if (method === "POST") return handle("createApplication", { body: JSON.parse(body) });
      const { clientAfm, limit, start } = Object.fromEntries(new URLSearchParams(query));
      return handle("searchApplications", {
        query: { clientAfm, start: Number(start), limit: Number(limit) },
      });
    },
  };
}

function asText(answer: SandboxAnswer<unknown, SandboxRecord>): InsurerAnswer {
  if (!("body" in answer)) throw new TypeError("The simulated insurer does more than answer");
  return { status: answer.status, body: JSON.stringify(answer.body) };
}
