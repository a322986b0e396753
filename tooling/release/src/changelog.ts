import type { ChangelogFunctions } from "@changesets/types";

/**
 * What changesets writes into a package's changelog: the text of its own changesets and nothing else. A changeset
 * names one package, so that no other package's users read it; that a dependency has a new version is no change for
 * them.
 */
const changelog: ChangelogFunctions = {
  async getReleaseLine({ summary }) {
    const [first = "", ...rest] = summary.trim().split("\n");
    return [`- ${first}`, ...rest.map((line) => (line === "" ? "" : `  ${line}`))].join("\n");
  },
  async getDependencyReleaseLine() {
    return "";
  },
};

export default changelog;
