import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { seenElsewhere } from "./seen-elsewhere.ts";

it.each(Object.entries(seenElsewhere))(
  "the test of the configuration key %s in another file exists",
  (_, { file, title }) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
    expect(text).toContain(title);
  },
);
