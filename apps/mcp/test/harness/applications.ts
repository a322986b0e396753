import { randomInt, randomUUID } from "node:crypto";
import type { TestGateway } from "./gateways.ts";
import { contentOf, type McpProcess, type Start, startMcp } from "./mcp-process.ts";
import { type Relay, startRelay } from "./relay.ts";

/** The tool that applies. */
export const TOOL = "provider-d_createApplication";
export const PLATE = "ΙΚΥ-1234";
export const NAME = "Ελένη Παπαδοπούλου";

/** A customer of one test alone. */
export const newAfm = (): string => String(randomInt(100_000_000, 999_999_999));

/** The tool's input, with a key of its own. */
export function application(afm: string): {
  readonly body: object;
  readonly idempotencyKey: string;
} {
  return {
    body: {
      policy: { startDate: "2026-12-01", endDate: "2027-12-01" },
      vehicle: { plateNumber: PLATE, manufacturerCode: "TOY", modelCode: "YARIS" },
      holder: { afm, fullName: NAME },
    },
    idempotencyKey: randomUUID(),
  };
}

/** Starts a server with submissions before a gateway, and a relay between them. */
export async function startApplying(
  gateway: TestGateway,
  start: Partial<Start> = { parameters: BY_CODE },
): Promise<McpProcess & { readonly relay: Relay }> {
  const relay = await startRelay(gateway.address);
  const parameters = ["--allow", "submission", ...(start.parameters ?? [])];
  const mcp = await startMcp({ ...gateway, ...start, gateway: relay.address, parameters });
  return { ...mcp, relay };
}

/** Lets the model confirm where nobody can be asked. */
const BY_CODE: readonly string[] = ["--confirm", "code"];

/** Returns the insurer's applications of a customer. */
export async function found(gateway: TestGateway, afm: string): Promise<readonly unknown[]> {
  const path = `/provider-d/applications/search?clientAfm=${afm}`;
  const answer = await fetch(gateway.address + path, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  // The gateway has checked that it is a page.
  return ((await answer.json()) as { items: unknown[] }).items;
}

/** The code with which a submission is confirmed. */
export async function codeFor({ call }: McpProcess, given: object): Promise<unknown> {
  return contentOf(await call(TOOL, given)).confirmation;
}

/** Both calls of a submission where nobody can be asked. */
export async function confirmed(mcp: McpProcess, given: object): ReturnType<McpProcess["call"]> {
  return mcp.call(TOOL, { ...given, confirmation: await codeFor(mcp, given) });
}

/** The answer of a person who agrees. */
export const ticked = { action: "accept" as const, content: { confirmed: true } };
