import { describe, expect, it } from "vitest";
import { type FailureRow, failureRowOf, isHtml } from "../../src/contract/failures.ts";

const row: FailureRow = { status: 422, code: "CONFLICT", outcome: "rejected", why: "The manual." };
const own: FailureRow = { ...row, media: "application/json", at: "/code", is: ["NO", "17"] };

describe("failure rows", () => {
  type Changes = Partial<Parameters<typeof failureRowOf>[1]>;
  const answer = {
    status: 422,
    mediaType: "application/json",
    acts: true,
    content: { code: "NO" },
  };
  it.each<[string, FailureRow, Changes, boolean]>([
    ["the same status", row, {}, true],
    ["another status", row, { status: 423 }, false],
    ["one of several statuses", { ...row, status: [400, 422] }, {}, true],
    ["a status that is not in the list", { ...row, status: [400, 409] }, {}, false],
    ["the same media type", own, {}, true],
    ["another media type", own, { mediaType: "application/problem+json" }, false],
    ["a text answer for a row without a media type", row, { mediaType: "text/plain" }, true],
    ["an HTML answer for a row without a media type", row, { mediaType: "text/html" }, false],
    [
      "an XHTML answer for a row without a media type",
      row,
      { mediaType: "application/xhtml+xml" },
      false,
    ],
    ["one of the row's codes", own, { content: { code: "17" } }, true],
    ["a code that is a number", own, { content: { code: 17 } }, true],
    ["another code", own, { content: { code: "MAYBE" } }, false],
    ["a code with an additional character", own, { content: { code: "NO!" } }, false],
    ["a code in an array", own, { content: { code: ["NO"] } }, false],
    ["no code", own, { content: {} }, false],
    [
      "a text as the code, for a row without codes",
      { ...row, at: "/code" },
      { content: { code: "X" } },
      true,
    ],
    [
      "a number as the code, for a row without codes",
      { ...row, at: "/code" },
      { content: { code: 1042 } },
      true,
    ],
    [
      "a small number as proxies send, for a row without codes",
      { ...row, at: "/code" },
      { content: { code: 1 } },
      false,
    ],
    [
      "a code of gRPC, for a row without codes",
      { ...row, at: "/code" },
      { content: { code: "NOT_FOUND" } },
      false,
    ],
    [
      "a small number in a read's answer, for a row without codes",
      { ...row, at: "/code" },
      { content: { code: 1 }, acts: false },
      true,
    ],
    [
      "an empty code, for a row without codes",
      { ...row, at: "/code" },
      { content: { code: "" } },
      false,
    ],
    [
      "true as the code, for a row without codes",
      { ...row, at: "/code" },
      { content: { code: true } },
      false,
    ],
    [
      "null as the code, for a row without codes",
      { ...row, at: "/code" },
      { content: { code: null } },
      false,
    ],
  ])(
    "an insurer's answer matches a row of the `failures` table only by status, media type and code: %s",
    (_, failure, changes, matches) => {
      expect(failureRowOf([failure], { ...answer, ...changes })).toBe(
        matches ? failure : undefined,
      );
    },
  );

  it.each<[string, boolean]>([
    ["MTR-1042", true],
    ["MTR-0000", true],
    ["MTR-104", false],
    ["MTR-10421", false],
    ["MTR-104A", false],
    ["mtr-1042", false],
    ["MTR-104٢", false],
  ])(
    "a code matches the pattern MTR-#### only if each # is one ASCII digit in the code: %s",
    (code, matches) => {
      const failure = { ...own, is: ["MTR-####"] };
      expect(failureRowOf([failure], { ...answer, content: { code } }) === failure).toBe(matches);
    },
  );

  it("a `failures` row for the status family 4xx matches every client error except the statuses that proxies send", () => {
    const family: FailureRow = { ...row, status: "4xx", at: "/code" };
    const found = Array.from({ length: 600 }, (_, status) => status).filter(
      (status) => failureRowOf([family], { ...answer, status }) !== undefined,
    );
    const others = [401, 403, 407, 408, 409, 421, 424, 425, 429, 444, 460, 499];
    const all = Array.from({ length: 100 }, (_, number) => 400 + number);
    expect(found).toEqual(all.filter((status) => !others.includes(status)));
  });

  it("the first matching row of the `failures` table applies if several rows match an insurer's answer", () => {
    const later = { ...row, code: "NOT_ALLOWED" } as const;
    expect(failureRowOf([own, later], answer)).toBe(own);
    expect(failureRowOf([later, own], answer)).toBe(later);
    expect(failureRowOf([own, later], { ...answer, content: {} })).toBe(later);
  });

  it("an answer is HTML if its media type is text/html or application/xhtml+xml", () => {
    expect(["text/html", "application/xhtml+xml", "text/plain", ""].map(isHtml)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
