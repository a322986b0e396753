import { expect, it } from "vitest";
import { type AcceptedCredentials, credentialsFault } from "../src/index.ts";

const key = { type: "apiKey", header: "X-Key" } as const;
const token = { type: "oauth2", tokenUrl: "https://insurer.example/token" } as const;
const keyOrToken: AcceptedCredentials = [[key, { type: "basic" }], [token]];
const fault = "must have apiKey in X-Key with basic, or oauth2: the insurer accepts nothing else";

it.each<[AcceptedCredentials | undefined, Parameters<typeof credentialsFault>[1], string | null]>([
  [undefined, [], null],
  [[[]], [], null],
  [[], [], "must have : the insurer accepts nothing else"],
  [keyOrToken, [], fault],
  [keyOrToken, [{ type: "apiKey", header: "x-key" }], fault],
  [keyOrToken, [{ type: "basic" }], fault],
  [keyOrToken, [{ type: "basic" }, { type: "apiKey", header: "x-KEY" }], null],
  [keyOrToken, [{ type: "basic" }, { type: "apiKey", header: "x-other" }], fault],
  [keyOrToken, [{ type: "oauth2" }], null],
  [keyOrToken, [{ type: "login" }], null],
  [keyOrToken, [{ type: "bearer" }, { type: "message" }], null],
  [keyOrToken, [{ type: "apiKey", header: "Authorization" }], null],
  [[[{ type: "bearer" }]], [{ type: "oauth2" }], null],
  [[[{ type: "message" }]], [{ type: "message" }], null],
  [
    [[{ type: "message" }]],
    [{ type: "basic" }],
    "must have message: the insurer accepts nothing else",
  ],
  [[[key]], [{ type: "apiKey" }], "must have apiKey in X-Key: the insurer accepts nothing else"],
])(
  "the credentials check reports configured credentials that the insurer does not accept: accepted %j, configured %j, fault %j",
  (accepted, configured, expected) => {
    expect(credentialsFault(accepted, configured)).toBe(expected);
  },
);
