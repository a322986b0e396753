import type { ChangelogFunctions } from "@changesets/types";

/**
 * Writes the texts of a package's own changesets into its changelog. A changeset names only one package, so its text
 * appears in no other changelog. A new version of a dependency is not a change for users.
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
