import { beforeAll, describe, expect, it } from "vitest";
import { type Agreement, agreementOf } from "./agreement.ts";
import { octokitDocument } from "./octokit-document.ts";
import { parameterAgreementOf } from "./parameter-agreement.ts";
import { documentFile } from "./sample.ts";

/** Minimum share of the values on which the document's schema and the imported schema agree. */
const MIN_AGREEMENT = 0.99;

let document: ReturnType<typeof octokitDocument>;
beforeAll(() => {
  document = octokitDocument();
}, 300_000);

function expectAgreement({ accepted, differences, same, values }: Agreement): void {
  const figures = `${same} of ${values} the same, ${accepted} accepted; different:\n${differences.slice(0, 40).join("\n")}`;
  expect(same / values, figures).toBeGreaterThanOrEqual(MIN_AGREEMENT);
  expect(accepted / values, figures).toBeGreaterThan(0.2);
}

describe("a package with 1,471 imported operations", () => {
  it("the imported package and the document's JSON Schema judge 99 % of request and answer bodies equally", () => {
    const { large, plain } = agreementOf(documentFile(document));
    for (const one of [plain, large]) expectAgreement(one);
  }, 600_000);

  it("the imported package and the document's JSON Schema judge 99 % of path, query and header parameters equally", () => {
    const { large, plain } = parameterAgreementOf(documentFile(document));
    for (const one of [plain, large]) if (one.values > 0) expectAgreement(one);
  }, 600_000);
});
