import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ImportedPackage } from "./imported-packages.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const compiler = join(repository, "node_modules/.bin/tsc");

/** The result of compiling an application. */
export interface ApplicationCheck {
  readonly calls: number;
  readonly errors: readonly string[];
  readonly instantiations: number;
  /** The duration of the type check, without reading the files. */
  readonly seconds: number;
}

/**
 * Compiles an application that calls every endpoint of the packages with the request of its example. The application
 * uses the packages' declaration files, which this function writes first.
 * @throws an Error with the compiler's output if the declarations of a package cannot be written
 */
export function checkApplication(packages: readonly ImportedPackage[]): ApplicationCheck {
  const application = mkdtempSync(join(tmpdir(), "application-"));
  try {
    const scope = join(application, "node_modules/@insurance-gateway");
    mkdirSync(scope, { recursive: true });
    symlinkSync(join(repository, "packages/core"), join(scope, "core"));
    for (const { folder, id } of packages) {
      const { status, stdout } = spawnSync(compiler, ["-p", "tsconfig.build.json"], {
        cwd: folder,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`${id} has no declarations:\n${stdout}`);
      symlinkSync(folder, join(scope, id));
    }
    writeFileSync(join(application, "main.mts"), programOf(packages));
    return compiled(application, packages);
  } finally {
    rmSync(application, { recursive: true });
  }
}

function compiled(application: string, packages: readonly ImportedPackage[]): ApplicationCheck {
  const options = "--noEmit --strict --module nodenext --target es2024 --skipLibCheck --types";
  const { stdout } = spawnSync(
    compiler,
    [...options.split(" "), "", "--extendedDiagnostics", "main.mts"],
    { cwd: application, encoding: "utf8" },
  );
  const figure = (name: string): number =>
    Number(new RegExp(`^${name}: +([\\d.]+)`, "m").exec(stdout)?.[1]);
  return {
    calls: packages.reduce((sum, { imported }) => sum + imported.endpoints.length, 0),
    errors: stdout.split("\n").filter((line) => line.includes("error TS")),
    instantiations: figure("Instantiations"),
    seconds: figure("Check time"),
  };
}

function programOf(packages: readonly ImportedPackage[]): string {
  const names = packages.map(({ id }) => [id, constantOf(id)] as const);
  return [
    'import { createGateway } from "@insurance-gateway/core";',
    ...names.map(([id, name]) => `import { ${name} } from "@insurance-gateway/${id}";`),
    'const gateway = createGateway({ baseUrl: "http://127.0.0.1:8080" });',
    "export const answers: unknown[] = [];",
    ...packages.flatMap(({ id, imported }) => [
      `const ${constantOf(id)}Client = gateway.provider(${constantOf(id)});`,
      ...imported.endpoints.map(({ name }) => {
        const request = imported.examples.get(name)?.request ?? {};
        return `answers.push(await ${constantOf(id)}Client.${name}(${written(request)}));`;
      }),
    ]),
  ].join("\n");
}

/** Returns the export name of a provider: `providerX1` for `provider-x1`. */
function constantOf(id: string): string {
  return id.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** Returns a request as source code, with an empty file in place of each file. */
function written(request: unknown): string {
  const file = "~file~";
  const text = JSON.stringify(request, (_name, value: unknown) =>
    value instanceof Uint8Array ? file : value,
  );
  return text.replaceAll(`"${file}"`, "new Uint8Array()");
}
