import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listsOf, readPackage, writeChanged } from "@insurance-gateway/lists";
import { Command } from "commander";
import { exchangesOf, readExchanges } from "./exchange.ts";
import { filesOf } from "./files.ts";
import { operationOf, Refusal } from "./operation.ts";
import { refuseTaken } from "./taken.ts";

interface Options {
  readonly kind?: string;
  readonly name?: string;
  readonly from?: string;
  readonly directory: string;
}

const program = new Command("npm run new:endpoint --")
  .description(
    "Writes the schema, the declaration, the example and the sandbox's handler of one endpoint, and the package's lists.",
  )
  .argument("<provider>", "the provider's id, such as provider-a")
  .argument("<call>", 'method and path, with parameters in braces: "GET /policies/{policyId}"')
  .option(
    "--kind <kind>",
    "lookup, read, quote or submission (default: read for a GET, otherwise submission)",
  )
  .option(
    "--name <name>",
    "the endpoint's name, such as listModels (default: derived from the call)",
  )
  .option(
    "--from <file>",
    "a HAR file (1.2) or a Postman collection (2.1) with requests of this call, from which the types and the example are inferred",
  )
  .option("--directory <folder>", "the folder of the packages", "packages")
  .addHelpText(
    "after",
    `
Headers of a recording are never read. The values in an example are synthetic, except those of a lookup.

  npm run new:endpoint -- provider-a "GET /auto/models" --kind lookup --name listModels
  npm run new:endpoint -- provider-a "GET /policies/{policyId}" --from exchange.har`,
  )
  .showHelpAfterError("(npm run new:endpoint -- --help shows the options)")
  .action(createEndpoint);

function createEndpoint(provider: string, call: string, options: Options): void {
  const folder = join(options.directory, provider);
  if (!existsSync(join(folder, "src/provider.ts")))
    throw new Refusal(
      `${folder} is not a provider package. npm run new:provider -- ${provider} writes one.`,
    );
  const operation = operationOf(provider, call, options);
  const { from } = options;
  const exchanges =
    from === undefined ? [] : exchangesOf(readExchanges(from, contentOf(from)), operation);
  const present = readPackage(folder);
  const files = filesOf(operation, exchanges);
  refuseTaken(present, files, operation);
  const lists = listsOf(new Map([...present, ...files]));
  const written = writeChanged(folder, new Map([...files, ...lists])).map((path) =>
    join(folder, path),
  );
  // The lists are already formatted.
  spawnSync("biome", ["check", "--write", ...[...files.keys()].map((path) => join(folder, path))]);
  process.stdout.write(`${written.join("\n")}\n\n${nextSteps(folder, operation.stem)}`);
}

function contentOf(file: string): string {
  if (!existsSync(file)) throw new Refusal(`There is no file ${file}.`);
  return readFileSync(file, "utf8");
}

function nextSteps(folder: string, stem: string): string {
  const steps = [
    `Describe each field in ${folder}/src/schemas/${stem}.ts, and correct the names and formats.`,
    `Write plausible values that belong to no real person into ${folder}/src/examples/${stem}.ts.`,
    ...(existsSync(join(folder, "src/adapter.ts"))
      ? [
          `Add the call to ${folder}/src/adapter.ts and its route to the sandbox's dialect, from the insurer's description (docs/adding-an-endpoint.md, section 6).`,
        ]
      : []),
    `npm run openapi`,
  ];
  return `What comes next:\n${steps.map((step, index) => `  ${index + 1}. ${step}\n`).join("")}`;
}

try {
  program.parse();
} catch (error) {
  if (!(error instanceof Refusal || error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
