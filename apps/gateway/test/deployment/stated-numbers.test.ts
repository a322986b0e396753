import { describe, expect, it } from "vitest";
import { textOf } from "./repository.ts";
import { statedNumbers } from "./stated-numbers.ts";

/** The number that is found in a file; a product is multiplied. */
function numberIn(path: string, place: RegExp): number {
  const [, found = ""] = place.exec(textOf(path)) ?? [];
  expect(found, `${path} has ${place}`).not.toBe("");
  return found
    .replaceAll("_", "")
    .split("*")
    .reduce((product, factor) => product * Number(factor), 1);
}

describe("a number of the code that is no key of the configuration", () => {
  it.each(statedNumbers)(
    "stands in $document as it is in $source: $says",
    ({ decides, document, says, source, unit = 1 }) => {
      const decided = numberIn(source, decides) / unit;
      expect(numberIn(document, says)).toBeCloseTo(decided, 9);
    },
  );
});
