import { describe, expect, it } from "vitest";
import { ConnectionError, type Gateway } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import { createPolicy, listBrands, policyBody } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { brokenMidway, reset } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

/** Makes a call that is safe to repeat. */
const lookup = (gateway: Gateway): Promise<unknown> => gateway.call(listBrands);
/** Makes a submission, which is safe to repeat only with its key. */
const submission = (gateway: Gateway): Promise<unknown> =>
  gateway.call(createPolicy, { body: policyBody });

describe("failed connections", () => {
  it("every call, even a submission, is safe to repeat if the connection fails before the request is sent", async () => {
    const gateway = connect(NOBODY_LISTENS);
    for (const call of [lookup, submission]) {
      const failure = await failureOf(call(gateway));
      expect(ConnectionError.isInstance(failure)).toBe(true);
      expect(failure).toMatchObject({
        name: "ConnectionError",
        code: "CONNECTION_FAILED",
        outcome: "not_sent",
        retry: "safe",
        requestId: null,
      });
      expect(String(failure)).toContain("ECONNREFUSED");
    }
  });

  it.each([
    ["a lookup", lookup, "safe", "it is safe to try again"],
    ["a submission", submission, "same_key", "or look for it with searchPolicies"],
  ])(
    "a call has the outcome `unknown` if all three attempts lose the connection after the request was sent: %s",
    async (_, call, retry, text) => {
      const server = await scriptedServer(reset);
      const failure = await failureOf(call(connect(server.address)));
      expect(failure).toMatchObject({ code: "CONNECTION_FAILED", outcome: "unknown", retry });
      expect(String(failure)).toContain(text);
      expect(server.arrivals).toHaveLength(3);
    },
  );

  it.each([
    ["a lookup", lookup, 200, "safe", "ConnectionError"],
    ["a submission", submission, 201, "same_key", "OutcomeUnknownError"],
  ])(
    "a call has the outcome `unknown` if all three attempts lose the connection in the middle of the answer: %s",
    async (_, call, status, retry, name) => {
      const server = await scriptedServer(brokenMidway("application/json", status));
      expect(await failureOf(call(connect(server.address)))).toMatchObject({
        name,
        code: "CONNECTION_FAILED",
        outcome: "unknown",
        retry,
      });
      expect(server.arrivals).toHaveLength(3);
    },
  );
});
