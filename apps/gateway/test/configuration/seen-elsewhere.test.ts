import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { seenElsewhere } from "./seen-elsewhere.ts";

it.each(Object.entries(seenElsewhere))(
  "the named test for the configuration key %s exists in another file",
  (_, { file, title }) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
    expect(text).toContain(title);
  },
);
