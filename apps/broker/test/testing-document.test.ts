import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("docs/testing-applications.md contains the complete text of lost-answer.test.ts", () => {
  const [document, example] = ["../../../docs/testing-applications.md", "lost-answer.test.ts"].map(
    (path) => readFileSync(new URL(path, import.meta.url), "utf8"),
  );
  expect(document).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
});
