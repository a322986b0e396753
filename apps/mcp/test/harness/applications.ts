import { randomInt, randomUUID } from "node:crypto";
import type { TestGateway } from "./gateways.ts";
import { contentOf, type McpProcess, type McpStartOptions, startMcp } from "./mcp-process.ts";
import { type Relay, startRelay } from "./relay.ts";

/** The tool that creates an application. */
export const TOOL = "provider-d_createApplication";
export const PLATE = "ΙΚΥ-1234";
export const NAME = "Ελένη Παπαδοπούλου";

/** Returns a random tax number, so that each test has a separate customer. */
export const newAfm = (): string => String(randomInt(100_000_000, 999_999_999));

/** Returns the input for a call of the tool `TOOL`, with a new idempotency key. */
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

/** Starts a gateway's MCP server with submissions, and a relay between the two. */
export async function startApplying(
  gateway: TestGateway,
  start: Partial<McpStartOptions> = { parameters: CONFIRM_BY_CODE },
): Promise<McpProcess & { readonly relay: Relay }> {
  const relay = await startRelay(gateway.address);
  const parameters = ["--allow", "submission", ...(start.parameters ?? [])];
  const mcp = await startMcp({ ...gateway, ...start, gateway: relay.address, parameters });
  return { ...mcp, relay };
}

/** Lets the model confirm submissions if the client cannot ask a person. */
const CONFIRM_BY_CODE: readonly string[] = ["--confirm", "code"];

/** Returns a customer's applications from the insurer. */
export async function applicationsOf(
  gateway: TestGateway,
  afm: string,
): Promise<readonly unknown[]> {
  const path = `/provider-d/applications/search?clientAfm=${afm}`;
  const answer = await fetch(gateway.address + path, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  // The gateway has validated this page.
  return ((await answer.json()) as { items: unknown[] }).items;
}

/** Makes the first call of a submission and returns the confirmation code. */
export async function codeFor({ call }: McpProcess, given: object): Promise<unknown> {
  return contentOf(await call(TOOL, given)).confirmation;
}

/** Makes both calls of a submission that a code confirms. */
export async function submitWithCode(
  mcp: McpProcess,
  given: object,
): ReturnType<McpProcess["call"]> {
  return mcp.call(TOOL, { ...given, confirmation: await codeFor(mcp, given) });
}

/** A person's answer that confirms the submission. */
export const confirmingReply = { action: "accept" as const, content: { confirmed: true } };
