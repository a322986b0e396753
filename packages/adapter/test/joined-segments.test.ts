import { namedParameters } from "@insurance-gateway/core/contract";
import { expect, it } from "vitest";
import { separatedPath } from "../src/joined-segments.ts";

it.each(["segment-0", "segment--0", "id"])(
  "a path reads its own parameter %s beside a segment with several",
  (name) => {
    const { read, template } = separatedPath(`/{${name}}/{base}...{head}`);
    const values = namedParameters(template, { p0: "own", p1: "one...two" });
    expect(read(values)).toMatchObject({ [name]: "own", base: "one", head: "two" });
  },
);
