import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import {
  checkApplication,
  divided,
  type ImportedPackages,
  importedPackages,
  octokitDocument,
} from "@insurance-gateway/import-provider/testing";
import { readNumbers } from "./command-line.ts";
import type { WrittenPackage } from "./conformance-worker.ts";
import { markdownTable } from "./markdown-table.ts";

const asked = readNumbers(
  `npm run bench:import -- [OPTION]...

Measures the import of the operations of a published document as providers, their conformance, the build
and the tests of one, and the compiler's check of an application that calls all of them.`,
  {
    providers: { about: "providers that the operations are divided among", byDefault: 23 },
  },
);

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * `npm run bench:import`: the operations of a published document as providers of a workspace. How long the import and
 * the conformance of all of them take, the build and the test of one, and the check of an application that calls all.
 */
const documents = divided(octokitDocument(), asked.providers);
const rows: Row[] = [];
const written = await timed(rows, "import of everything", () =>
  importedPackages(documents.map((from) => ({ from, all: true }))),
);
try {
  await measure(written);
} finally {
  written.remove();
}

async function measure({ packages, workspace }: ImportedPackages): Promise<void> {
  const threads = Math.min(availableParallelism(), packages.length);
  await timed(rows, `conformance of everything, with loading, in ${threads} threads`, () =>
    Promise.all(
      Array.from({ length: threads }, (_, thread) =>
        checked(
          packages
            .filter((_package, index) => index % threads === thread)
            .map(({ folder, id }) => ({ folder, id })),
        ),
      ),
    ),
  );
  const [one] = packages;
  if (one === undefined) throw new Error("No provider was imported");
  const bin = (name: string): string => join(repository, "node_modules/.bin", name);
  const build = join(repository, "tooling/presets/build-provider.ts");
  await timed(rows, "build of one", () => run(one.folder, process.execPath, build));
  await timed(rows, "its tests", () =>
    run(
      workspace,
      bin("vitest"),
      "run",
      "--project=fast",
      "--reporter=dot",
      `--config=${join(repository, "vitest.config.ts")}`,
      `--root=${workspace}`,
      `packages/${one.id}/`,
    ),
  );
  const { instantiations, seconds } = checkApplication(packages);
  rows.push({
    measure: `check of an application that calls all of them, ${instantiations} instantiations`,
    seconds: seconds.toFixed(1),
    "processor, s": "–",
  });
  const endpoints = packages.reduce((sum, { imported }) => sum + imported.endpoints.length, 0);
  process.stdout.write(
    `${endpoints} endpoints of ${asked.providers} providers, measured once:\n\n${markdownTable(rows)}\n`,
  );
}

type Row = Readonly<Record<string, string | number>>;

/** Notes how long something takes, by the clock and of this process's processor time in all its threads. */
async function timed<Result>(
  rows: Row[],
  what: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const [begun, used] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { system, user } = process.cpuUsage(used);
  rows.push({
    measure: what,
    seconds: ((performance.now() - begun) / 1_000).toFixed(1),
    "processor, s": ((system + user) / 1_000_000).toFixed(1),
  });
  return result;
}

/** Checks packages in a thread of their own, which prints their faults. */
function checked(packages: readonly WrittenPackage[]): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>();
  new Worker(new URL("./conformance-worker.ts", import.meta.url), { workerData: packages })
    .on("error", reject)
    .on("exit", () => resolve());
  return promise;
}

function run(cwd: string, program: string, ...parameters: readonly string[]): void {
  // As pnpm runs a package's scripts.
  const programs = [join(cwd, "node_modules/.bin"), join(repository, "node_modules/.bin")];
  const env = { ...process.env, PATH: [...programs, process.env.PATH].join(delimiter) };
  const { status, stderr, stdout } = spawnSync(program, parameters, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed:\n${stdout}${stderr}`);
}
