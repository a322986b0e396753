import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readApi, writeReport } from "./api-report.ts";
import { readManifest } from "./manifest.ts";

/** `npm run api-report`: writes the types of core, as they are built, into the file that reviewers read. */
const folder = join(process.cwd(), "packages/core");
writeFileSync(
  join(folder, "api-report.md"),
  writeReport(readManifest(folder).name, readApi(folder)),
);
