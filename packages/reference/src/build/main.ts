import { parseArgs } from "node:util";

const usage = `Usage: insurance-gateway-reference [options]

Writes the reference of the provider in this folder, after its modules are built.

Options:
  --contract <file>  also writes the provider's part of the contract to this file
  -h, --help         prints this
`;

/**
 * Runs in the folder of a provider's package, after the package's modules are built, and writes the reference files.
 * With `--contract openapi.json`, also writes the provider's part of the contract to a file that can be committed.
 */
try {
  const { contract, help } = parseArgs({
    options: { contract: { type: "string" }, help: { type: "boolean", short: "h" } },
  }).values;
  if (help === true) process.stdout.write(usage);
  else {
    const { writeReference } = await import("./write-reference.ts");
    await writeReference(process.cwd(), contract);
  }
} catch (error) {
  process.stderr.write(`insurance-gateway-reference: ${whatToDo(error)}\n`);
  process.exitCode = 1;
}

function whatToDo(error: unknown): string {
  const { code, message = String(error) }: { code?: unknown; message?: string } = Object(error);
  const [, missing] = /Cannot find package '(typescript)'/.exec(message) ?? [];
  return code === "ERR_MODULE_NOT_FOUND" && missing !== undefined
    ? `${missing} is missing; install it beside this package: npm install --save-dev ${missing}`
    : message;
}
