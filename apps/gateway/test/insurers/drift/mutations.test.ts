import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Difference } from "../../../src/events.ts";
import type { CountedKind } from "../../../src/operator/observation/counted-answers.ts";
import { type DriftSite, startDriftSite } from "./drift-site.ts";
import {
  applications,
  brands,
  countries,
  declaredPage,
  quotation,
  soapAnswer,
  usages,
} from "./insurer-contents.ts";
import { mutations } from "./mutations.ts";

let site: DriftSite;
beforeAll(async () => {
  site = await startDriftSite();
});
afterAll(() => site.stop());

/** Returns the differences that the gateway has found, without those in `before`. */
async function foundSince(before: readonly CountedKind<Difference>[]): Promise<readonly object[]> {
  const counts = new Map(before.map((one) => [keyOf(one), one.count]));
  const now = await site.found();
  return now
    .filter((one) => one.count > (counts.get(keyOf(one)) ?? 0))
    .map(({ breaking, kind, pointer }) => ({ breaking, kind, pointer }));
}

function keyOf({ breaking, endpoint, kind, pointer, segment }: CountedKind<Difference>): string {
  return JSON.stringify([segment, endpoint, pointer, kind, breaking]);
}

describe("an answer in the insurer's documented form", () => {
  it.each([
    ["brands", brands],
    ["countries", countries],
    ["usages", soapAnswer(usages)],
    ["applications", applications],
    ["quote", quotation],
    ["declared", declaredPage],
  ] as const)(
    "the drift watch finds no difference in an answer of the insurer's documented form: %s",
    async (subject, answer) => {
      const before = await site.found();
      expect(await site.call(subject, answer)).toBe(200);
      expect(await foundSince(before)).toEqual([]);
    },
  );
});

describe("a changed answer of an insurer", () => {
  it.each(mutations)(
    "the drift watch reports the place and the kind of a changed field, and whether the change breaks calls: $subject, $change",
    async ({ answer, breaking, kind, pointer, subject }) => {
      const before = await site.found();
      const status = await site.call(subject, answer);
      expect(await foundSince(before)).toEqual([{ breaking, kind, pointer }]);
      expect(
        status >= 400,
        "A difference must be reported as breaking exactly if the call fails.",
      ).toBe(breaking);
    },
  );
});
