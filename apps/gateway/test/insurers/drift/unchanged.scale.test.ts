import { expect, it } from "vitest";
import { compareUnchanged, dialectSubjects } from "./compare-unchanged.ts";

const ANSWERS_EACH = 20_000;

it.each(dialectSubjects)(
  "the drift comparison finds no difference in random answers of the insurer's documented form: $endpoint",
  async (subject) => {
    expect(await compareUnchanged(subject, ANSWERS_EACH)).toBe(ANSWERS_EACH);
  },
);
