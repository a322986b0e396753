import type { ChangelogFunctions } from "@changesets/types";

/**
 * Writes the text of a package's own changesets into its changelog, and nothing else. A changeset names one package, so that
 * users of other packages do not read it. A new version of a dependency is not a change for users.
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
