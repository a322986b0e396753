import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { faultsOfNames, readApi, writeReport } from "./api-report.ts";
import { readManifest } from "./manifest.ts";
import { refuse } from "./refusal.ts";

/**
 * `npx pnpm --filter @insurance-gateway/release api-report`: writes the built types of core and adapter into the
 * committed reports.
 */
for (const name of ["core", "adapter"]) {
  const folder = join(process.cwd(), "packages", name);
  const api = readApi(folder);
  const { name: packageName } = readManifest(folder);
  writeFileSync(join(folder, "api-report.md"), writeReport(packageName, api));
  refuse(faultsOfNames(packageName, api));
}
