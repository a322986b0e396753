import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { describeExports } from "./describe-exports.ts";

/**
 * Builds the modules, declarations and reference of the provider in whose folder this script runs. The declarations do
 * not depend on the modules, so both are built at the same time.
 */
rmSync("dist", { recursive: true, force: true });
const [haveTypes, haveModules] = await Promise.all([
  succeeds("tsc -p tsconfig.build.json"),
  succeeds(
    `tsup --config "${import.meta.dirname}/tsup-provider.ts" && insurance-gateway-reference`,
  ),
]);
if (haveTypes) describeExports();
if (!(haveTypes && haveModules)) process.exitCode = 1;

function succeeds(command: string): Promise<boolean> {
  const { promise, reject, resolve } = Promise.withResolvers<boolean>();
  spawn(command, { shell: true, stdio: "inherit" })
    .on("error", reject)
    .on("exit", (status) => resolve(status === 0));
  return promise;
}
