import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Run by a package's `prepack` and `postpack`. A manifest of this workspace names catalog versions and source
 * files, which pnpm replaces when it packs and npm does not; so that a tarball of `npm pack` is the same,
 * pnpm's own manifest stands in for ours while npm packs.
 */
const MANIFEST = "package.json";
const KEPT = "package.json.kept";

const step = process.argv[2];
const packedByPnpm = process.env.npm_config_user_agent?.startsWith("pnpm") ?? false;
if (!packedByPnpm && step === "prepare") prepare();
if (!packedByPnpm && step === "restore") renameSync(KEPT, MANIFEST);

function prepare(): void {
  // A pack that was ended left the other manifest in its place.
  if (existsSync(KEPT)) renameSync(KEPT, MANIFEST);
  const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-pack-"));
  try {
    execFileSync("pnpm", ["pack", "--pack-destination", folder], { stdio: "ignore" });
    const [tarball = ""] = readdirSync(folder);
    const manifest = execFileSync("tar", ["-xzOf", join(folder, tarball), "package/package.json"]);
    copyFileSync(MANIFEST, KEPT);
    writeFileSync(MANIFEST, manifest);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
