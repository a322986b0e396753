import { execFileSync } from "node:child_process";
import { Command } from "commander";
import { ReleaseRefused } from "./refusal.ts";
import { release } from "./release.ts";
import { rollBack } from "./roll-back.ts";
import { releaseSnapshot } from "./snapshot.ts";

interface Options {
  readonly registry?: string;
  readonly dryRun?: true;
}

/** npm runs scripts in the root of the repository, with its configuration in the environment. */
const root = process.cwd();
const registryOf = ({ registry }: Options): string =>
  registry ?? execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
/** GitHub sets it in a job that may ask for an identity (`id-token: write`). */
const hasIdentity = process.env.ACTIONS_ID_TOKEN_REQUEST_URL !== undefined;
const report = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const program = new Command("npm run release --")
  .description(
    "Publishes every package whose version the registry does not have. It builds from clean, packs with pnpm, " +
      "compares contracts and types with the last published tarballs, installs and uses what it packed, and writes a " +
      "bill of materials for each package into release/. Nothing is published unless everything passes.",
  )
  .option(
    "--registry <address>",
    "the registry, otherwise npm's own; one on this machine needs neither `repository` nor provenance",
  )
  .option("--dry-run", "does everything but publish; changesets may still wait")
  .showHelpAfterError("(npm run release -- --help has the details)")
  .action(async (options: Options) => {
    const isDryRun = options.dryRun === true;
    const registry = registryOf(options);
    const names = await release({ root, registry, isDryRun, tag: "latest", hasIdentity, report });
    if (isDryRun && names.length > 0) report("Nothing was published: this was a dry run.");
  });

program
  .command("snapshot <tag>")
  .description("publishes what the waiting changesets change under a dist-tag, for trying out")
  .action(async (tag: string) => {
    const options = program.opts<Options>();
    const isDryRun = options.dryRun === true;
    const registry = registryOf(options);
    await releaseSnapshot({ root, registry, isDryRun, tag, hasIdentity, report });
  });

program
  .command("rollback <package> <version>")
  .description(
    "makes an earlier version the one that `npm install` takes, and deprecates the later ones",
  )
  .requiredOption(
    "--reason <text>",
    "the message that npm prints when a later version is installed",
  )
  .action(async (name: string, version: string, { reason }: { readonly reason: string }) => {
    await rollBack({
      root,
      registry: registryOf(program.opts<Options>()),
      name,
      version,
      reason,
      report,
    });
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ReleaseRefused)) throw error;
  process.stderr.write(`Refused. Nothing more was published.\n\n${error.message}\n`);
  process.exitCode = 1;
}
