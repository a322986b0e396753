import { describe, expect, it } from "vitest";
import { textOf } from "./repository.ts";
import { statedNumbers } from "./stated-numbers.ts";

/** Returns the number at a place in a file. Multiplies the factors of a product. */
function numberIn(path: string, place: RegExp): number {
  const [, found = ""] = place.exec(textOf(path)) ?? [];
  expect(found, `${path} has ${place}`).not.toBe("");
  return found
    .replaceAll("_", "")
    .split("*")
    .reduce((product, factor) => product * Number(factor), 1);
}

describe("numbers in documents that repeat constants of the code", () => {
  it.each(statedNumbers)(
    "the document $document states the same number as the constant in $source: $says",
    ({ decides, document, says, source, unit = 1 }) => {
      const decided = numberIn(source, decides) / unit;
      expect(numberIn(document, says)).toBeCloseTo(decided, 9);
    },
  );
});
