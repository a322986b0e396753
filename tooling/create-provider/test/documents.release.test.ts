import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readInstructions } from "./harness/documents.ts";
import {
  type Command,
  copyWorkspace,
  type StartedGateway,
  type WorkspaceCopy,
} from "./workspace-copy.ts";

const endpoint = readInstructions("adding-an-endpoint.md");
const provider = readInstructions("adding-a-provider.md");

/** The endpoint files of the document, for provider-x instead of provider-a. */
const filesOfProviderX = new Map(
  [...endpoint.files].map(([path, text]) => [
    path.replace("provider-a", "provider-x"),
    text.replaceAll("provider-a", "provider-x"),
  ]),
);

const fiats = [
  { code: "PANDA", name: "Panda" },
  { code: "TIPO", name: "Tipo" },
];

let copy: WorkspaceCopy;
let gateway: StartedGateway | undefined;
let token: string;

async function start(): Promise<void> {
  gateway = await copy.start();
  token = copy.run("npm", "run", "--silent", "token").trim();
}

async function stop(): Promise<number | null | undefined> {
  const code = await gateway?.stop();
  gateway = undefined;
  return code;
}

/** Calls the running gateway and returns `[status, body]`. */
async function call(path: string): Promise<readonly [number, unknown]> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${gateway?.address}${path}`, { headers });
  return [answer.status, await answer.json()];
}

beforeAll(() => {
  copy = copyWorkspace();
});
afterAll(async () => {
  await stop();
  await copy.remove();
});

describe("a new provider with one endpoint, written as the documents describe", () => {
  beforeAll(async () => {
    copy.run("npm", "run", "--silent", "bootstrap");
    copy.run("npx", "pnpm", "new:provider", "provider-x");
    copy.write(filesOfProviderX);
    copy.write(provider.files);
    copy.run("npm", "run", "--silent", "lists", "--", "provider-x");
    copy.apply(provider.patch);
    await start();
  });

  it("`npm start` runs a gateway that serves the new provider and validates calls to the provider's endpoint", async () => {
    const path = "/provider-x/auto/models";
    expect(await call(`${path}?brandCode=FIA`)).toEqual([200, { items: fiats }]);
    expect(await call(path)).toMatchObject([
      400,
      { errors: [{ pointer: "/query/brandCode", code: "REQUIRED" }] },
    ]);
  });

  it("the program in docs/adding-a-provider.md calls the new provider successfully", () => {
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

  it("a new provider changes only its own package and the lock file", () => {
    expect(copy.changes()).toEqual([" M pnpm-lock.yaml", "?? packages/provider-x/"]);
  });

  it("npm start ends with exit code 0 after one SIGTERM to the command's process group", async () => {
    expect(await stop()).toBe(0);
  });
});

describe("provider-a with an additional endpoint, as docs/adding-an-endpoint.md describes", () => {
  beforeAll(async () => {
    await stop();
    copy.commit();
    copy.write(endpoint.files);
    copy.apply(endpoint.patch);
    copy.run("npm", "run", "--silent", "lists", "--", "provider-a");
    await start();
  });

  it("provider-a serves the new endpoint and validates calls to the endpoint", async () => {
    const path = "/provider-a/auto/models";
    expect(await call(`${path}?brandCode=FIA`)).toEqual([200, { items: fiats }]);
    expect(await call(`${path}?brandCode=%20&year=2026`)).toMatchObject([
      400,
      { errors: [{ pointer: "/query/brandCode" }, { pointer: "/query/year" }] },
    ]);
  });

  it("provider-a serves its earlier endpoints unchanged after an endpoint was added", async () => {
    const [status, body] = await call("/provider-a/auto/brands");
    expect(status).toBe(200);
    expect(body).toHaveProperty("items.0.code", "ABA");
  });

  it("an additional endpoint requires four new files, changes of the adapter and the sandbox's dialect, and generated lists", () => {
    const changed = copy.changes().map((line) => line.replace("packages/provider-a/src/", ""));
    expect(changed).toEqual([
      " M packages/provider-a/README.md",
      " M adapter.ts",
      " M endpoints/index.ts",
      " M examples/index.ts",
      " M index.ts",
      " M sandbox/dialect.ts",
      " M sandbox/handlers/index.ts",
      "?? endpoints/list-models.ts",
      "?? examples/list-models.ts",
      "?? sandbox/handlers/list-models.ts",
      "?? schemas/model.ts",
    ]);
  });
});

describe("both providers after their documented changes", () => {
  const checks: readonly Command[] = [
    ["tsc", "--noEmit"],
    ["biome", "ci", "packages"],
    ["oxlint", "--type-aware", "--deny-warnings", "packages"],
    ["knip", "--no-config-hints"],
    ["turbo", "boundaries"],
  ];

  it.each(checks.map((check) => ({ check })))(
    "provider-a and the new provider pass the check after the documented changes: $check.0",
    ({ check }) => {
      expect(() => copy.runTool(check)).not.toThrow();
    },
  );

  it("provider-a and the new provider pass the tests of their packages after the documented changes", () => {
    const test = (id: string): string =>
      copy.runTool(["vitest", "run", "--project", "fast", `packages/${id}/`]);
    expect(test("provider-a")).toMatch(/[1-9]\d* passed, 0 failed/);
    expect(test("provider-x")).toContain("1 passed, 0 failed");
  });
});
