import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesOf, type MatchedExchange, operationOf } from "@insurance-gateway/create-endpoint";
import { listsOf } from "@insurance-gateway/lists";
import { answer, body } from "./generated-exchange.ts";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * Writes a provider's package as authors write it, a file for each endpoint and for its schemas, and builds it as
 * packages of the workspace are built.
 */
export function buildProvider(folder: string, id: string, endpoints: number): void {
  const original = join(repository, "packages/provider-f");
  cpSync(original, folder, {
    recursive: true,
    filter: (path) => !["dist", "node_modules", ".turbo", "test"].includes(basename(path)),
  });
  symlinkSync(join(original, "node_modules"), join(folder, "node_modules"));
  const provider = `import { defineProvider, type Provider } from "@insurance-gateway/core/contract";
import * as endpoints from "./endpoints/index.ts";

export const provider: Provider<typeof endpoints> = defineProvider({
  id: "${id}",
  name: "${id}",
  lines: ["motor"],
  endpoints,
});
`;
  const files = new Map([["src/provider.ts", provider]]);
  for (let number = 0; number < endpoints; number += 1)
    for (const [path, text] of endpointFiles(id, number)) files.set(path, text);
  files.set("src/sandbox.ts", "export {};\n");
  files.set("tsconfig.json", tsconfig);
  for (const [path, text] of [...files, ...listsOf(files)]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const [program, ...parameters] of [["tsup"], ["insurance-gateway-reference"]] as const) {
    // Also where npm has not put the workspace's programs into PATH.
    const programs = [folder, repository].map((one) => join(one, "node_modules/.bin"));
    const { error, status, stderr, stdout } = spawnSync(program, parameters, {
      cwd: folder,
      env: { ...process.env, PATH: [...programs, process.env.PATH].join(":") },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${program} failed:\n${stdout}${stderr}`, { cause: error });
  }
  rmSync(join(folder, "src"), { recursive: true });
}

const tsconfig = JSON.stringify({
  extends: join(repository, "tooling/presets/tsconfig.base.json"),
  include: ["src"],
  compilerOptions: { customConditions: [], typeRoots: [join(repository, "node_modules/@types")] },
});

const kinds = [
  { kind: "lookup", method: "GET" },
  { kind: "read", method: "GET" },
  { kind: "quote", method: "POST" },
  { kind: "submission", method: "POST" },
] as const;

function endpointFiles(provider: string, number: number): ReadonlyMap<string, string> {
  const { kind, method } = kinds[number % kinds.length] ?? kinds[0];
  const path = kind === "read" ? `/things${number}/{thingId}` : `/things${number}`;
  const operation = operationOf(provider, `${method} ${path}`, { kind });
  const exchange: MatchedExchange = {
    method,
    url: path,
    query: kind === "lookup" ? [["lang", "el"]] : [],
    params: kind === "read" ? { thingId: "A1" } : {},
    body: method === "POST" ? body : undefined,
    answer: { status: 200, body: answer },
  };
  return filesOf(operation, [exchange]);
}
