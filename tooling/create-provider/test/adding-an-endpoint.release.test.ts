import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readInstructions } from "./harness/documents.ts";
import {
  copyWorkspace,
  type StartedGateway,
  type WorkspaceCopy,
} from "./harness/workspace-copy.ts";

const { files, patch } = readInstructions("adding-an-endpoint.md");

describe("provider-a, given an eighth endpoint as docs/adding-an-endpoint.md says", () => {
  let copy: WorkspaceCopy;
  let gateway: StartedGateway | undefined;
  let token: string;

  beforeAll(async () => {
    copy = copyWorkspace();
    copy.write(files);
    copy.apply(patch);
    gateway = await copy.start();
    token = copy.run("npm", "run", "--silent", "token").trim();
  });
  afterAll(async () => {
    await gateway?.stop();
    copy.remove();
  });

  const call = async (path: string): Promise<readonly [number, unknown]> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${gateway?.address}${path}`, { headers });
    return [answer.status, await answer.json()];
  };

  it("serves it", async () => {
    expect(await call("/provider-a/auto/models?brandCode=FIA")).toEqual([
      200,
      {
        items: [
          { code: "PANDA", name: "Panda" },
          { code: "TIPO", name: "Tipo" },
        ],
      },
    ]);
    expect(await call("/provider-a/auto/models?brandCode=%20&year=2026")).toMatchObject([
      400,
      { errors: [{ pointer: "/query/brandCode" }, { code: "UNKNOWN_FIELD" }] },
    ]);
  });

  it("serves what it served before", async () => {
    const [status, body] = await call("/provider-a/auto/brands");
    expect(status).toBe(200);
    expect(body).toHaveProperty("items.0.code", "ABA");
  });

  it.each<Command>([
    ["tsc", "--noEmit"],
    ["biome", "ci", "packages/provider-a"],
    ["oxlint", "--type-aware", "--deny-warnings", "packages/provider-a"],
    ["knip", "--no-config-hints"],
    ["turbo", "boundaries"],
  ])("passes the checks: %s", (...command) => {
    expect(() => copy.runTool(command)).not.toThrow();
  });

  it("passes the tests", () => {
    const output = copy.runTool(["vitest", "run", "--project", "fast", "packages/provider-a"]);
    expect(output).toMatch(/[1-9]\d* passed, 0 failed/);
  });

  it("was given it by four files, and a line in each of four others", () => {
    const changed = copy.changes().map((line) => line.slice(3));
    expect(changed.every((path) => path.startsWith("packages/provider-a/src/"))).toBe(true);
    expect(changed).toHaveLength(8);
  });
});
