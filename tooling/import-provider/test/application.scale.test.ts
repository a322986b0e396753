import { expect, it, onTestFinished } from "vitest";
import { checkApplication } from "./calling-application.ts";
import { divided } from "./divided.ts";
import { importedPackages } from "./imported-packages.ts";
import { octokitDocument } from "./octokit-document.ts";

const PROVIDERS = 23;
/** The maximum of type instantiations for the compiler. */
const INSTANTIATIONS = 400_000;

it("an application that calls all operations of a published document, of 23 providers, is checked with few instantiations", () => {
  const { packages, remove } = importedPackages(
    divided(octokitDocument(), PROVIDERS).map((from) => ({ from, all: true })),
  );
  onTestFinished(remove);

  const { calls, errors, instantiations } = checkApplication(packages);
  expect(errors).toEqual([]);
  expect(calls).toBeGreaterThan(1_400);
  expect(instantiations).toBeGreaterThan(calls);
  expect(instantiations).toBeLessThanOrEqual(INSTANTIATIONS);
}, 300_000);
