import { faultsOfBuild } from "./build-state.ts";
import { readManifest } from "./manifest.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Run by every package's `prepack`, in its folder: ends with code 1 where the tarball would not be what the sources
 * say. Only pnpm writes the manifest that is published: npm would ship catalog versions and paths of sources.
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
