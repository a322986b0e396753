import { expect, it, onTestFinished } from "vitest";
import { checkApplication } from "./calling-application.ts";
import { divideDocument } from "./divided.ts";
import { importedPackages } from "./imported-packages.ts";
import { octokitDocument } from "./octokit-document.ts";

const PROVIDERS = 23;
/** Maximum number of type instantiations that the compiler may need. */
const MAX_TYPE_INSTANTIATIONS = 400_000;

it("the compiler needs at most 400,000 type instantiations for an application with all operations of a large document", () => {
  const { packages, remove } = importedPackages(
    divideDocument(octokitDocument(), PROVIDERS).map((from) => ({ from, all: true })),
  );
  onTestFinished(remove);

  const { calls, errors, instantiations } = checkApplication(packages);
  expect(errors).toEqual([]);
  expect(calls).toBeGreaterThan(1_400);
  expect(instantiations).toBeGreaterThan(calls);
  expect(instantiations).toBeLessThanOrEqual(MAX_TYPE_INSTANTIATIONS);
}, 300_000);
