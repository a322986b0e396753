import { readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = new URL("./", import.meta.url);
const CORE = "@insurance-gateway/core";

export const hooks = {
  /**
   * Makes the manifest that a tarball has; the one of the work tree stays as it is. Where to find the sources and the
   * people comes from the root manifest, so that no package repeats it.
   */
  beforePacking(manifest, folder) {
    const { devDependencies: _, scripts: __, ...published } = manifest;
    const { author, bugs, homepage, repository } = read("package.json");
    const directory = relative(fileURLToPath(root), folder).split(sep).join("/");
    const source = typeof repository === "string" ? { type: "git", url: repository } : repository;
    return {
      ...published,
      ...(source && { repository: { ...source, directory } }),
      ...(homepage && { homepage }),
      ...(bugs && { bugs }),
      ...(author && { author }),
      ...(manifest.peerDependencies && { peerDependencies: peersOf(manifest) }),
    };
  },
};

/** No range has the snapshots of core in it, so that a snapshot of a provider names core's. */
function peersOf({ peerDependencies, version }) {
  const range = peerDependencies[CORE];
  const core = range && version.includes("-") ? read("packages/core/package.json").version : "";
  if (!core.includes("-")) return peerDependencies;
  return { ...peerDependencies, [CORE]: `${range} || ${core}` };
}

function read(path) {
  return JSON.parse(readFileSync(new URL(path, root), "utf8"));
}
