import { expect, it } from "vitest";
import { compareUnchanged, dialectSubjects } from "./compare-unchanged.ts";

const ANSWERS_EACH = 500;

it.each(dialectSubjects)(
  "answers to $endpoint that did not change have no difference",
  async (subject) => {
    expect(await compareUnchanged(subject, ANSWERS_EACH)).toBe(ANSWERS_EACH);
  },
);
