import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "./manifest.ts";
import type { Refusal } from "./refusal.ts";

const BUILD_AGAIN = "Run `npm run build` at the root of the repository, then pack again.";

/** The file beside `dist` with the hash of the build's inputs. */
const BUILD_RECORD = ".built-from";

/** Finds missing or outdated files in the `dist` of a package. */
export function faultsOfBuild(folder: string, manifest: Manifest): readonly Refusal[] {
  // A private package, such as a provider without endpoints, is never released, so its dist need not be complete.
  if (manifest.private === true) return [];
  const missing = shippedFiles(manifest).filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0)
    return [
      {
        reason: `${manifest.name} is not built: ${missing.slice(0, 3).join(", ")} ${missing.length === 1 ? "is" : "are"} missing.`,
        remedy: BUILD_AGAIN,
      },
    ];
  const record = join(folder, BUILD_RECORD);
  const builtFrom = existsSync(record) ? readFileSync(record, "utf8") : "";
  if (builtFrom !== "" && builtFrom === hashOfInputs(folder, manifest.name)) return [];
  return [
    {
      reason: `The dist of ${manifest.name} was built from other sources than those in the work tree.`,
      remedy: BUILD_AGAIN,
    },
  ];
}

/** Returns the files of a package's exports and commands. */
function shippedFiles({ bin, exports }: Manifest): readonly string[] {
  const own = [...filesIn(exports), ...filesIn(bin)];
  return [...new Set(own.filter((file) => /^\.\/(dist|bin)\//.test(file)))];
}

/** Returns all paths in a value of `exports`, including nested conditions. */
function filesIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(filesIn) : [];
}

/**
 * Returns turbo's hash for the build of a package. The hash covers the package's files, the packages that it needs, and
 * the installed versions.
 */
function hashOfInputs(folder: string, name: string): string {
  const output = execFileSync("turbo", ["run", "build", `--filter=${name}`, "--dry-run=json"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    maxBuffer: 100_000_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
  // turbo documents this format for --dry-run=json.
  const { tasks } = JSON.parse(output) as {
    readonly tasks: readonly { readonly taskId: string; readonly hash: string }[];
  };
  return tasks.find(({ taskId }) => taskId === `${name}#build`)?.hash ?? "";
}
