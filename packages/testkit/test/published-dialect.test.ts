import { publishedDialect } from "@insurance-gateway/adapter";
import { simulated } from "@insurance-gateway/adapter/sandbox";
import {
  defineProvider,
  type FilePart,
  none,
  type Read,
  read,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import { file, loose, strict, string, zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import { conformanceFaults } from "../src/index.ts";

const id = "provider-p";

interface Versions {
  policy: string;
  from: string;
  to: string;
}
interface Comparison {
  changes: string;
}
const fields = { policy: string(), from: string(), to: string() };
const changes = loose<Comparison>({ changes: string() });
const request = { params: { policy: "P-1", from: "2025", to: "2026" } };

const compareVersions: Read<{ params: Versions; response: Comparison }> = read({
  provider: id,
  path: "/policies/{policy}/compare/{from}/{to}",
  params: strict<Versions>(fields),
  response: { 200: changes },
});

interface Named {
  policy: string;
  version: string;
}
const readVersion: Read<{ params: Named; response: Comparison }> = read({
  provider: id,
  path: "/policies/{policy}/compare/{version}",
  params: strict<Named>({ policy: string(), version: string() }),
  response: { 200: changes },
});

const addPhoto: Submission<{ body: FilePart | undefined; response: undefined }> = submission({
  provider: id,
  path: "/photos",
  body: { required: false, media: { "application/octet-stream": zodSchema<FilePart>(file()) } },
  response: { 204: none },
  idempotency: "none",
});

describe("providers with imported declarations", () => {
  it.each([
    ["after", { readVersion, compareVersions }],
    ["before", { compareVersions, readVersion }],
  ])(
    "an imported path with two parameters in one segment, declared %s a similar path, passes the conformance check",
    async (_, endpoints) => {
      const provider = defineProvider({ id, name: "Provider P", lines: ["motor"], endpoints });
      const examples = {
        compareVersions: { usual: { request, response: { changes: "none" } } },
        readVersion: {
          usual: {
            request: { params: { policy: "P-1", version: "2026" } },
            response: { changes: "all" },
          },
        },
      };
      const calls = {
        compareVersions: { path: "/policies/{policy}/compare/{from}...{to}" },
      };
      expect(
        await conformanceFaults({
          id,
          provider,
          examples,
          sandbox: simulated(provider, examples, { calls }),
          adapter: publishedDialect(provider, { calls }),
        }),
      ).toEqual([]);
    },
  );

  it("an imported provider with an optional file passes the conformance check", async () => {
    const provider = defineProvider({
      id,
      name: "Provider P",
      lines: ["motor"],
      endpoints: { addPhoto },
    });
    const examples = { addPhoto: { without: { request: {}, response: undefined } } };
    expect(
      await conformanceFaults({
        id,
        provider,
        examples,
        sandbox: simulated(provider, examples, { calls: {} }),
        adapter: publishedDialect(provider),
      }),
    ).toEqual([]);
  });
});
