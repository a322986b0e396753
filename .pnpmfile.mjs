import { readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = new URL("./", import.meta.url);
/** The packages of ours that others have as peers, and where their manifests are. */
const PEERS = {
  "@insurance-gateway/core": "packages/core/package.json",
  "@insurance-gateway/adapter": "packages/adapter/package.json",
};

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

/** No range has the snapshots of a peer of ours in it, so that a snapshot of a package names its peers'. */
function peersOf({ peerDependencies, version }) {
  if (!version.includes("-")) return peerDependencies;
  const widened = Object.entries(PEERS)
    .filter(([name]) => name in peerDependencies)
    .map(([name, path]) => [name, read(path).version])
    .filter(([, snapshot]) => snapshot.includes("-"))
    .map(([name, snapshot]) => [name, `${peerDependencies[name]} || ${snapshot}`]);
  return { ...peerDependencies, ...Object.fromEntries(widened) };
}

function read(path) {
  return JSON.parse(readFileSync(new URL(path, root), "utf8"));
}
