import { Command, CommanderError, Option } from "commander";
import { compareContracts } from "./compare-contracts.ts";
import { type ChangeLevel, compareLevels, levels, neededLevel } from "./contract.ts";
import { printChanges } from "./print.ts";
import { type ProviderFolder, readCurrent, readEarlier } from "./read-contract.ts";
import { UnreadableContract } from "./side.ts";

interface Options {
  readonly against: string;
  readonly json?: true;
  readonly failOn?: ChangeLevel;
}

/** The exit code for an invalid command line or contract; 1 is the code of `--fail-on`. */
const EXIT_INVALID_INPUT = 2;

const legend = Object.entries(levels).map(([level, text]) => `  ${level.padEnd(6)}${text}`);
const program = new Command("npm run contract-diff --")
  .description("Lists what changed in a provider's contract, and which release the changes need.")
  .argument("<provider>", "the provider's id, such as provider-d")
  .option(
    "--against <version>",
    "the old version of packages/<provider>/openapi.json: a Git revision, or the path of an openapi.json, a package " +
      "or a repository",
    "HEAD",
  )
  .option("--json", "prints the changes as JSON")
  .addOption(
    new Option(
      "--fail-on <level>",
      "exits with code 1 for a change of this level or above; otherwise the code is 0, or 2 for a wrong command line " +
        "or contract",
    ).choices(Object.keys(levels)),
  )
  .addHelpText("after", `\nLevels:\n${legend.join("\n")}`)
  .showHelpAfterError("(npm run contract-diff -- --help has the details)")
  .exitOverride()
  .action(run);

function run(provider: string, { against, failOn, json }: Options): void {
  // npm runs scripts in the root of the repository.
  const folder: ProviderFolder = { root: process.cwd(), provider };
  const current = readCurrent(folder);
  // A new provider is compared with a version of itself without endpoints.
  const earlier = readEarlier(against, folder) ?? { ...current, paths: {} };
  const changes = compareContracts(earlier, current);
  process.stdout.write(
    json
      ? `${JSON.stringify(changes, null, 2)}\n`
      : printChanges(`${provider} compared with ${against}`, changes),
  );
  const needed = neededLevel(changes);
  if (failOn !== undefined && needed !== null && compareLevels(needed, failOn) <= 0)
    process.exitCode = 1;
}

try {
  program.parse();
} catch (error) {
  // Commander has printed the message. Commander also throws after it printed the help, with code 0.
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_INVALID_INPUT;
  else if (error instanceof UnreadableContract) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = EXIT_INVALID_INPUT;
  } else throw error;
}
