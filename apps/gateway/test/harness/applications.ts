import { randomInt } from "node:crypto";
import type { SandboxAnswer, SandboxRecord } from "@insurance-gateway/adapter/sandbox";
import { sandbox } from "@insurance-gateway/provider-d/sandbox";
import { specificationRequests } from "@insurance-gateway/specification";
import type { Arrival, InsurerAnswer } from "@insurance-gateway/testkit";

/** The body of an application: the specification's own, for a customer and a plate that are given, or drawn. */
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

/** Provider D's answer for a received application: its body, and what the insurer adds to it. */
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

/** Sends an application to a gateway, as somebody without our client would. */
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

/** Provider D's insurer, to put behind faults: it keeps the applications it carries out, and finds them again. */
export function createApplicationsInsurer(clock: () => Date = () => new Date()): {
  readonly execute: (arrival: Pick<Arrival, "body" | "method" | "query">) => InsurerAnswer;
  /** The applications that it has carried out. */
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
