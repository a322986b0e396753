import { namedParameters } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { ambiguousParameter, separatedPath } from "../src/joined-segments.ts";

it.each(["segment-0", "segment--0", "id"])(
  "a path parameter keeps its own value if another segment of the path has several parameters: name %s",
  (name) => {
    const { read, template } = separatedPath(`/{${name}}/{base}...{head}`);
    const values = namedParameters(template, { p0: "own", p1: "one...two" });
    expect(read(values)).toMatchObject({ [name]: "own", base: "one", head: "two" });
  },
);

describe("a path segment with several parameters", () => {
  it("a path segment with several parameters becomes one template parameter, whose value is split into the parameters", () => {
    const path = separatedPath("/a/{one}/{two}-{three}/x{four}+{five}.{six}");
    expect([path.template, path.isJoined]).toEqual(["/a/{one}/{segment-0}/{segment-1}", true]);
    const values = { one: "1", "segment-0": "2-3-4", "segment-1": "x5+6.7" };
    expect(path.read(values)).toEqual({
      ...values,
      two: "2",
      three: "3-4",
      four: "5",
      five: "6",
      six: "7",
    });
    for (const other of ["x5+6", "y5+6.7", "x+6.7", "x5+6.7\n8"])
      expect([other, path.read({ ...values, "segment-1": other }) === null]).toEqual([
        other,
        !other.includes("\n"),
      ]);
    expect(path.read({ one: "1" })).toBeNull();
    expect(separatedPath("/{one}n{two}").read({})).toBeNull();
  });

  it("the adapter does not change an insurer's path if no segment of the path has several parameters", () => {
    const path = separatedPath("/a/{one}");
    expect([path.template, path.isJoined, path.read({ one: "1" })]).toEqual([
      "/a/{one}",
      false,
      { one: "1" },
    ]);
  });

  it.each<[Readonly<Record<string, unknown>>, string | undefined]>([
    [{ one: "1", two: 2, three: "3" }, undefined],
    [{ one: "1-", two: "2-", three: "3" }, "two"],
    [{ one: "1-", two: "2", three: "3-4" }, undefined],
    [{ two: "2" }, undefined],
    [{ two: "-2", three: "3" }, undefined],
    [{ two: "2-3", three: 4 }, "two"],
  ])(
    "the check of path values names the first parameter whose value would be split at the wrong place: %j, %j",
    (values, expected) => {
      expect(ambiguousParameter("/a/{one}/{two}-{three}", values)).toBe(expected);
    },
  );
});
