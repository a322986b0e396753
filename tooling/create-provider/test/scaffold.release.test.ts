import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readInstructions } from "./harness/documents.ts";
import {
  copyWorkspace,
  type StartedGateway,
  type WorkspaceCopy,
} from "./harness/workspace-copy.ts";

const endpoint = readInstructions("adding-an-endpoint.md");
const provider = readInstructions("adding-a-provider.md");

/** The documented files of an endpoint, for provider-x in place of provider-a. */
const files = new Map(
  [...endpoint.files].map(([path, text]) => [
    path.replace("provider-a", "provider-x"),
    text.replaceAll("provider-a", "provider-x"),
  ]),
);

const models = [
  { code: "AYGO", name: "Aygo" },
  { code: "COROLLA", name: "Corolla" },
  { code: "YARIS", name: "Yaris" },
];

describe("a scaffolded provider, given one endpoint as the documents say", () => {
  let copy: WorkspaceCopy;
  let gateway: StartedGateway | undefined;
  let token: string;

  beforeAll(async () => {
    copy = copyWorkspace();
    copy.run("npm", "run", "--silent", "bootstrap");
    copy.run("npx", "pnpm", "new:provider", "provider-x");
    copy.write(files);
    copy.apply(provider.patch);
    gateway = await copy.start();
    token = copy.run("npm", "run", "--silent", "token").trim();
  });
  afterAll(async () => {
    await gateway?.stop();
    copy.remove();
  });

  it("is served by npm start, checks and all", async () => {
    const call = (path: string): Promise<Response> =>
      fetch(`${gateway?.address}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const answer = await call("/provider-x/auto/models?brandCode=TOY");
    expect([answer.status, await answer.json()]).toEqual([200, { items: models }]);
    const refused = await call("/provider-x/auto/models");
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      errors: [{ pointer: "/query/brandCode", code: "REQUIRED" }],
    });
  });

  it("is called by the documented program", () => {
    const [program = ""] = provider.programs;
    const path = "packages/provider-x/client.ts";
    const address = gateway?.address ?? "";
    copy.write(new Map([[path, program.replace("http://127.0.0.1:8080", address)]]));
    try {
      const output = copy.runTool(["node", path], { GATEWAY_TOKEN: token });
      expect(output.trim()).toBe("Aygo, Corolla, Yaris");
    } finally {
      rmSync(join(copy.path, path));
    }
  });

  it.each<Command>([
    ["tsc", "--noEmit"],
    ["biome", "ci", "packages/provider-x"],
    ["oxlint", "--type-aware", "--deny-warnings", "packages/provider-x"],
    ["knip", "--no-config-hints"],
    ["turbo", "boundaries"],
  ])("passes the checks: %s", (...command) => {
    expect(() => copy.runTool(command)).not.toThrow();
  });

  it("passes the tests", () => {
    const output = copy.runTool(["vitest", "run", "--project", "fast", "packages/provider-x"]);
    expect(output).toContain("6 passed, 0 failed");
  });

  it("changed nothing outside its package, the lock file aside", () => {
    expect(copy.changes()).toEqual([" M pnpm-lock.yaml", "?? packages/provider-x/"]);
  });

  it("lets the gateway end with code 0", async () => {
    expect(await gateway?.stop()).toBe(0);
    gateway = undefined;
  });
});
