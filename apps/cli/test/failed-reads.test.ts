import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Behaviour, json } from "./gateway.ts";
import {
  problem,
  type Rows,
  type ScriptedGateway,
  startScriptedGateway,
  textOf,
} from "./scripted-gateway.ts";

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
afterAll(() => gateway.close());

const happened = ["What happened."];
const later = { "retry-after": "77" };

describe("a failed call that changes nothing at the insurer", () => {
  const search = ["call", "provider-d", "searchApplications", "--client-afm=123456789"];

  it.each<readonly [string, Behaviour, number, string, Rows]>([
    [
      "an answer with invalid fields",
      json(200, { items: [], start: "x", limit: 1 }),
      4,
      "RESPONSE_INVALID (200)",
      {
        "what happened": [
          "The answer breaks the declaration. Check that this is the gateway's address, and that the gateway's version matches this package. The call changes nothing at the insurer: it is safe to try again.",
        ],
        "at fault": ["/start must be a number", "/total is required"],
        "the insurer": ["may have been asked; the call changes nothing there (unknown)"],
        "what to do": ["run the command again"],
      },
    ],
    [
      "an answer that is not an object",
      json(200, "[]"),
      4,
      "RESPONSE_INVALID (200)",
      {
        "what happened": [
          "The answer breaks the declaration. Check that this is the gateway's address, and that the gateway's version matches this package. The call changes nothing at the insurer: it is safe to try again.",
        ],
        "at fault": ["the answer must be an object"],
        "the insurer": ["may have been asked; the call changes nothing there (unknown)"],
        "what to do": ["run the command again"],
      },
    ],
    [
      "no answer of the insurer",
      problem([504, "PROVIDER_TIMEOUT", "unknown", "safe"], {}, later),
      4,
      "PROVIDER_TIMEOUT (504): The insurer did not answer in time",
      {
        "what happened": happened,
        "the insurer": ["may have been asked; the call changes nothing there (unknown)"],
        "what to do": ["run the command again after 77 s"],
        "request id": ["req-1"],
      },
    ],
    [
      "a refused token",
      problem([401, "UNAUTHENTICATED", "not_sent", "never"]),
      1,
      "UNAUTHENTICATED (401): A valid token is needed",
      {
        "what happened": happened,
        "the insurer": ["got nothing (not_sent)"],
        "what to do": ["set GATEWAY_TOKEN to a valid token of this gateway"],
        "request id": ["req-1"],
      },
    ],
    [
      "a missing permission",
      problem([403, "FORBIDDEN", "not_sent", "never"], {}, later),
      1,
      "FORBIDDEN (403): The token does not allow it",
      {
        "what happened": happened,
        "the insurer": ["got nothing (not_sent)"],
        "what to do": ["correct the request; the same request would fail again"],
        "request id": ["req-1"],
      },
    ],
  ])(
    "the report of a failed search has the cause and the user's next step: %s",
    async (_, behaviour, code, title, rows) => {
      gateway.server.behaviour = behaviour;
      const ended = await gateway.run([...search, "--timeout=2"], {
        environment: { GATEWAY_TOKEN: "t" },
      });
      expect(ended).toMatchObject({ code, stdout: "", stderr: textOf(title, rows) });
    },
  );

  it("the report of a refused development token contains the folder of the development issuer", async () => {
    gateway.server.behaviour = problem([401, "UNAUTHENTICATED", "not_sent", "never"], {});
    const { stderr } = await gateway.run(search);
    expect(stderr).toContain(
      `what to do     the token is from the development issuer in ${gateway.folder.path}/data, which this gateway does not trust; set GATEWAY_TOKEN to another token\n`,
    );
  });
});
