import { expect, it } from "vitest";
import { agreementOf } from "./agreement.ts";
import { octokitDocument } from "./octokit-document.ts";
import { documentFile } from "./sample.ts";

/** What the table of the issue demands of the values. */
const SHARE = 0.99;

it("a package of 1,471 operations accepts what the document's JSON Schema accepts, and nothing else", () => {
  const { large, plain } = agreementOf(documentFile(octokitDocument()));
  for (const { accepted, differences, same, values } of [plain, large]) {
    const figures = `${same} of ${values} the same, ${accepted} accepted; different:\n${differences.slice(0, 40).join("\n")}`;
    expect(same / values, figures).toBeGreaterThanOrEqual(SHARE);
    expect(accepted / values, figures).toBeGreaterThan(0.2);
  }
}, 600_000);
