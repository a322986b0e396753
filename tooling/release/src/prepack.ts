import { faultsOfBuild } from "./build-state.ts";
import { readManifest } from "./manifest.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Runs as `prepack` in the folder of every package: exits with 1 if the tarball would differ from the sources. Only
 * pnpm writes the published package.json; npm would keep catalog versions and paths of sources.
 */
const isPnpm = process.env.npm_config_user_agent?.startsWith("pnpm/") ?? false;
const folder = process.cwd();
const refusals: readonly Refusal[] = isPnpm
  ? faultsOfBuild(folder, readManifest(folder))
  : [
      {
        reason: "npm does not write the manifest that is published.",
        remedy: "Use `npx pnpm pack` here, or `npm run release` at the root of the repository.",
      },
    ];
for (const { reason, remedy } of refusals) process.stderr.write(`${reason}\n  ${remedy}\n`);
if (refusals.length > 0) process.exitCode = 1;
