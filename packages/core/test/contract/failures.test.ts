import { describe, expect, it } from "vitest";
import { failureFaults } from "../../src/contract/failure-faults.ts";
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
    "an insurer's answer matches a failure row only by status, media type and code: %s",
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

  it("a failure row for the status family 4xx matches every client error except the statuses that proxies send", () => {
    const family: FailureRow = { ...row, status: "4xx", at: "/code" };
    const found = Array.from({ length: 600 }, (_, status) => status).filter(
      (status) => failureRowOf([family], { ...answer, status }) !== undefined,
    );
    const others = [401, 403, 407, 408, 409, 421, 424, 425, 429, 444, 460, 499];
    const all = Array.from({ length: 100 }, (_, number) => 400 + number);
    expect(found).toEqual(all.filter((status) => !others.includes(status)));
  });

  it("the first failure row applies if several rows match an insurer's answer", () => {
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

describe("failure row declarations", () => {
  const both = [true, false];
  type Case = [string, object, readonly boolean[], RegExp | null];
  const json = "application/json";
  const any4xx = { status: "4xx" };
  const family = { ...own, ...any4xx };
  const unproved = (named: string): RegExp =>
    new RegExp(`: ${named}.* needs \`media\`, \`at\` and \`is\``);
  it.each<Case>([
    ["a status", {}, both, null],
    ["the status 200", { status: 200 }, both, null],
    ["the status 199", { status: 199 }, both, /`status` must be/],
    ["the status 599", { ...own, status: 599 }, both, null],
    ["the status 600", { ...own, status: 600 }, both, /`status` must be/],
    ["a fractional status", { status: 400.5 }, both, /`status` must be/],
    ["no status", { status: [] }, both, /`status` must be/],
    ["4xx with a media type, for reads", { ...any4xx, media: json }, [false], null],
    ["4xx with the place of a code, for reads", { ...any4xx, at: "/code" }, [false], null],
    ["4xx alone", any4xx, both, /a family of statuses needs/],
    ["4xx with only a media type", { ...any4xx, media: json }, both, unproved("a family")],
    [
      "4xx with a media type and any code",
      { ...any4xx, media: json, at: "/code" },
      both,
      /list the insurer/,
    ],
    [
      "4xx with any code, with the outcome unknown",
      { ...any4xx, at: "/code", outcome: "unknown" },
      [true],
      null,
    ],
    ...["MTR-1042", "MTR-####", "1042", "17", "99", "600", "E-5"].map(
      (code): Case => [`4xx with the code ${code}`, { ...family, is: [code] }, both, null],
    ),
    ...["0", "16", "-1", "100", "599", "4##", "####", "REJECTED", "invalid plate", "+-"].map(
      (code): Case => [
        `4xx with the code ${code}`,
        { ...family, is: ["MTR-1042", code] },
        both,
        /`is` has .*: proxies write numbers up to 16/,
      ],
    ),
    ["4xx with a word as the code, for reads", { ...family, is: ["REJECTED"] }, [false], null],
    ["401 with the insurer's own code", { ...own, status: 401 }, both, null],
    ["401 without a code", { ...own, status: 401, is: undefined }, [false], unproved("401")],
    [
      "403 without a media type",
      { ...own, status: 403, media: undefined },
      [false],
      unproved("403"),
    ],
    ["400 and 403 without the place of a code", { status: [400, 403] }, [false], unproved("403")],
    ["a media type with a parameter", { media: "text/xml; a=b" }, both, /must be a media type/],
    ["the media type of HTML", { media: "text/html" }, both, /proves nothing/],
    ["a place that is not a JSON Pointer", { at: "code" }, both, /must be a JSON Pointer/],
    ["a code with its place", { at: "/code", is: ["NO"] }, both, null],
    ["an empty list of codes", { at: "/code", is: [] }, both, /`is` needs codes/],
    ["codes without their place", { is: ["NO"] }, both, /`is` needs codes/],
    ["a blank reason", { why: " " }, both, /must state a reason/],
    [
      "an error code that only the gateway uses",
      { code: "RATE_LIMITED" },
      both,
      /must be one of the codes/,
    ],
    ["the outcome unknown, for submissions", { outcome: "unknown" }, [true], null],
    [
      "the outcome unknown, for reads",
      { outcome: "unknown" },
      [false],
      /must not have the outcome unknown/,
    ],
    ["498", { status: 498 }, [true], null],
    ["407, for submissions", { ...own, status: 407 }, [true], /must not match 407/],
    ["407 with the outcome unknown", { ...own, status: 407, outcome: "unknown" }, [true], null],
    ["407, for reads", { ...own, status: 407 }, [false], null],
    ...[302, 401, 408, 409, 421, 424, 429, 444, 460, 499, 502].flatMap((status): Case[] => [
      [`${status}, for submissions`, { status }, [true], unproved(String(status))],
      [`${status} with the insurer's own code`, { ...own, status }, [true], null],
      [
        `${status} with a proxy's number`,
        { ...own, status, is: [String(status), "####"] },
        [true],
        /`is` has .*: proxies write/,
      ],
    ]),
    ["500, for reads", { status: 500 }, [false], null],
    ["500 with the outcome unknown", { status: 500, outcome: "unknown" }, [true], null],
    ["400 and 425, for submissions", { status: [400, 425] }, [true], unproved("425")],
    ["`afterActing` with codes", { ...own, afterActing: true }, [true], null],
    [
      "`afterActing` with a proxy's number",
      { at: "/code", is: ["404"], status: 404, afterActing: true },
      [true],
      /`is` has 404/,
    ],
    ...["UNAUTHENTICATED", "Server"].map(
      (code): Case => [
        `500 with the code ${code}`,
        { ...own, status: 500, is: [code] },
        [true],
        /proxies/,
      ],
    ),
    [
      "401 with a word as the code of a problem",
      { ...own, status: 401, media: "application/problem+json", is: ["UNAUTHENTICATED"] },
      [true],
      null,
    ],
    [
      "`afterActing` without codes",
      { at: "/code", afterActing: true },
      [true],
      /`afterActing` needs/,
    ],
  ])("the declaration check accepts or refuses a failure row: %s", (_, changes, acting, fault) => {
    const found = failureFaults([row, { ...row, ...changes }], acting);
    if (fault === null) expect(found).toEqual([]);
    else {
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(fault);
      expect(found[0]).toMatch(/^`failures` row 2: /);
    }
  });
});
