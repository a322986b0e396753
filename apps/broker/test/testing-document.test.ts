import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("docs/testing-applications.md shows the test of a lost answer that runs here", () => {
  const [document, example] = ["../../../docs/testing-applications.md", "lost-answer.test.ts"].map(
    (path) => readFileSync(new URL(path, import.meta.url), "utf8"),
  );
  expect(document).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
});
