import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks, repository } from "./harness/markdown.ts";
import { run } from "./harness/run.ts";

/** The application module that the examples import. */
const GATEWAY = `import { createGateway, type Gateway } from "@insurance-gateway/core";
export const gateway: Gateway = createGateway({ baseUrl: "http://127.0.0.1:8080" });
`;

/** The packages whose READMEs are compiled. The examples of the testkit need the sources of a provider package. */
const packages = readdirSync(join(repository, "packages")).filter((name) => name !== "testkit");
const examples = packages.flatMap((name) =>
  codeBlocks(`packages/${name}/README.md`, "ts").map((code, index) => ({
    file: `${name}-${index + 1}.ts`,
    code,
  })),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "package-readmes-"));
  const scope = join(folder, "node_modules/@insurance-gateway");
  mkdirSync(scope, { recursive: true });
  for (const name of packages) symlinkSync(join(repository, "packages", name), join(scope, name));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "gateway.ts"), GATEWAY);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("examples in the READMEs of packages", () => {
  it("the READMEs of core, the reference, the sandbox, provider-a and provider-e contain examples", () => {
    const names = new Set(examples.map(({ file }) => file.replace(/-\d+\.ts$/, "")));
    for (const name of ["core", "reference", "sandbox", "provider-a", "provider-e"])
      expect([...names]).toContain(name);
  });

  it("the examples in the READMEs of packages compile against the built packages", async () => {
    for (const { code, file } of examples) writeFileSync(join(folder, file), code);
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: "es2023",
      module: "nodenext",
      types: ["node"],
      typeRoots: [join(repository, "node_modules/@types")],
    };
    const files = examples.map(({ file }) => file);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = join(repository, "node_modules/.bin/tsc");
    expect(await run([tsc, "-p", "."], { cwd: folder })).toEqual({ code: 0, output: "" });
  });
});
