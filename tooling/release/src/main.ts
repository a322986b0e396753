import { execFileSync } from "node:child_process";
import { Command } from "commander";
import { ReleaseRefused } from "./refusal.ts";
import { release } from "./release.ts";

interface Options {
  readonly registry?: string;
  readonly dryRun?: true;
}

const program = new Command("npm run release --")
  .description(
    "Packs every package whose version the registry does not have into release/, with a bill of materials for each. " +
      "It builds from clean, packs with pnpm, compares contracts and types with the last published tarballs, and " +
      "installs and uses what it packed. tooling/release/publish.sh publishes it.",
  )
  .option("--registry <address>", "the registry (default: npm's own)")
  .option(
    "--dry-run",
    "only checks, even if changesets have not been applied; the packages cannot be published",
  )
  .showHelpAfterError("(npm run release -- --help has the details)")
  .action(async ({ dryRun, registry }: Options) => {
    await release({
      // npm runs scripts in the root of the repository and passes its configuration in the environment.
      root: process.cwd(),
      registry:
        registry ?? execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim(),
      isDryRun: dryRun === true,
      report: (line) => void process.stdout.write(`${line}\n`),
    });
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ReleaseRefused)) throw error;
  process.stderr.write(`Refused. There is nothing to publish.\n\n${error.message}\n`);
  process.exitCode = 1;
}
