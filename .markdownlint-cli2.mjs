import prose from "./tooling/prose/src/documents.ts";

/** Only the rules of plain English: Markdown that GitHub shows correctly is not reported. */
export default {
  config: { default: false, prose: true },
  customRules: [prose],
  globs: ["**/*.md"],
  ignores: [
    "**/node_modules/**",
    "**/CHANGELOG.md",
    "**/dist/**",
    "**/api-report.md",
    "tooling/create-provider/template/**",
  ],
  noBanner: true,
  noProgress: true,
};
