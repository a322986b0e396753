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
  .description("Writes the package of a new provider, and edits nothing else.")
  .argument("<id>", "its path segment, such as provider-x")
  .option("--name <name>", 'the name a person reads; without it, made of the id: "Provider X"')
  .option("--directory <folder>", "where the package is put", "packages")
  .showHelpAfterError("(see pnpm new:provider --help)")
  .action(createProvider);

function createProvider(id: string, { name, directory }: Options): void {
  const names = nameProvider(id, name);
  const folder = relative("", writePackage(resolve(directory), id, newPackage(names)));
  const steps: readonly (readonly [string, string])[] = [
    ["npx pnpm install", "links it into the workspace"],
    ["docs/adding-a-provider.md", "its first endpoint, as docs/adding-an-endpoint.md shows"],
    [`${folder}/package.json`, 'remove "private" once the endpoint is declared'],
    ["npm start", `serves it at /${id}, with its sandbox behind it`],
  ];
  const width = Math.max(...steps.map(([what]) => what.length)) + 2;
  const lines = steps.map(([what, why], index) => `  ${index + 1}. ${what.padEnd(width)}${why}`);
  process.stdout.write(
    `${folder} is written; nothing else was changed. What comes next:\n\n${lines.join("\n")}\n\n`,
  );
}

try {
  program.parse();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
