import { relative, resolve } from "node:path";
import { Command } from "commander";
import { nameProvider, Refusal } from "./naming.ts";
import { newPackage } from "./template.ts";
import { writePackage } from "./write-package.ts";

interface Options {
  readonly name?: string;
  readonly directory: string;
}

const program = new Command("pnpm new:provider")
  .description("Writes the package of a new provider and changes no other files.")
  .argument("<id>", "the provider's path segment, such as provider-x")
  .option("--name <name>", 'the display name (default: derived from the id, such as "Provider X")')
  .option("--directory <folder>", "the folder of the packages", "packages")
  .showHelpAfterError("(see pnpm new:provider --help)")
  .action(createProvider);

function createProvider(id: string, { name, directory }: Options): void {
  const names = nameProvider(id, name);
  const folder = relative("", writePackage(resolve(directory), id, newPackage(names)));
  const steps: readonly (readonly [string, string])[] = [
    ["npx pnpm install", "links it into the workspace"],
    ["docs/adding-a-provider.md", "explains how to add its first endpoint"],
    [`${folder}/package.json`, 'must lose "private" once the endpoint is declared'],
    ["npm start", `serves it at /${id} with its sandbox as the insurer`],
  ];
  const width = Math.max(...steps.map(([what]) => what.length)) + 2;
  const lines = steps.map(([what, why], index) => `  ${index + 1}. ${what.padEnd(width)}${why}`);
  process.stdout.write(
    `${folder} was written; no other files were changed. What comes next:\n\n${lines.join("\n")}\n\n`,
  );
}

try {
  program.parse();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
