import { readFileSync } from "node:fs";
import { providerD } from "@insurance-gateway/provider-d";
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { application, TOOL, ticked } from "./harness/applications.ts";
import { connect } from "./harness/in-process.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

/** A call that sends nothing. */
interface Unsent {
  readonly code: string;
  readonly retry: "same_key" | "after_check";
  readonly person?: () => Promise<ElicitResult>;
  readonly input?: object;
}

const agree = (): Promise<ElicitResult> => Promise.resolve(ticked);

const unsent: Readonly<Record<string, Unsent>> = {
  "whose input is invalid": {
    code: "REQUEST_INVALID",
    retry: "after_check",
    person: agree,
    input: { body: {} },
  },
  "that the person declines": {
    code: "NOT_CONFIRMED",
    retry: "after_check",
    person: () => Promise.resolve({ action: "decline" }),
  },
  "of which the person cannot be asked": {
    code: "NOT_CONFIRMED",
    retry: "same_key",
    person: () => Promise.reject(new Error("no screen")),
  },
  "where nobody can be asked": { code: "CONFIRMATION_UNAVAILABLE", retry: "after_check" },
  "that does not reach the gateway": {
    code: "CONNECTION_FAILED",
    retry: "same_key",
    person: agree,
  },
};

it("what fails before it is sent is what docs/errors.md says of a key that the caller gives", () => {
  const text = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const [, after = ""] = text.split("| key given by you |\n");
  const [table = ""] = after.split("\n\n");
  for (const { code, retry } of Object.values(unsent))
    if (table.includes(`| \`${code}\` |`))
      expect(table).toMatch(new RegExp(`\`${code}\` .* \`unknown\`, \`${retry}\` \\|`));
});

describe.each(Object.entries(unsent))("a submission %s", (_, { code, input, person, retry }) => {
  it("may have been sent with its key before the server was started", async () => {
    const given = application("123456789");
    const gateway = await startSimulatedGateway((request) => request.socket.destroy());
    const before = await connect({ provider: providerD, gateway, person: agree });
    const lost = await before.callTool({ name: TOOL, arguments: given });
    expect(lost.structuredContent).toMatchObject({
      outcome: "unknown",
      message: expect.stringContaining("may have been sent, and it is unknown"),
    });

    const after = await connect({
      provider: providerD,
      ...(person === undefined ? {} : { person }),
    });
    const answer = await after.callTool({ name: TOOL, arguments: { ...given, ...input } });
    expect(answer.structuredContent).toMatchObject({
      code,
      outcome: "unknown",
      retry,
      message: expect.stringContaining(
        "Whether an earlier call with this idempotencyKey was sent is not known here.",
      ),
      next: expect.stringContaining("A new idempotencyKey could submit it twice"),
    });
  });
});

it("a submission without a key was not sent with it before", async () => {
  const { idempotencyKey: _, ...given } = application("123456789");
  const client = await connect({ provider: providerD, person: agree });
  const answer = await client.callTool({ name: TOOL, arguments: given });
  expect(answer.structuredContent).toMatchObject({
    code: "REQUEST_INVALID",
    outcome: "not_sent",
    retry: "never",
  });
});
