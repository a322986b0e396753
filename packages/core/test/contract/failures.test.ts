import { describe, expect, it } from "vitest";
import { failureFaults } from "../../src/contract/failure-faults.ts";
import { type FailureRow, failureRowOf, isHtml } from "../../src/contract/failures.ts";

const row: FailureRow = { status: 422, code: "CONFLICT", outcome: "rejected", why: "The manual." };
const own: FailureRow = { ...row, media: "application/json", at: "/code", is: ["NO", "17"] };

describe("a row of failures matches", () => {
  type Changes = Partial<Parameters<typeof failureRowOf>[1]>;
  const answer = {
    status: 422,
    mediaType: "application/json",
    acts: true,
    content: { code: "NO" },
  };
  it.each<[string, FailureRow, Changes, boolean]>([
    ["its status", row, {}, true],
    ["no other status", row, { status: 423 }, false],
    ["one of its statuses", { ...row, status: [400, 422] }, {}, true],
    ["none but its statuses", { ...row, status: [400, 409] }, {}, false],
    ["its media type", own, {}, true],
    ["no other media type", own, { mediaType: "application/problem+json" }, false],
    ["any media type but HTML", row, { mediaType: "text/plain" }, true],
    ["no HTML", row, { mediaType: "text/html" }, false],
    ["no XHTML", row, { mediaType: "application/xhtml+xml" }, false],
    ["each of its codes", own, { content: { code: "17" } }, true],
    ["a code that is a number", own, { content: { code: 17 } }, true],
    ["no other code", own, { content: { code: "MAYBE" } }, false],
    ["no part of a code", own, { content: { code: "NO!" } }, false],
    ["no code that is a list", own, { content: { code: ["NO"] } }, false],
    ["no missing code", own, { content: {} }, false],
    ["any code where it names none", { ...row, at: "/code" }, { content: { code: "X" } }, true],
    ["a number where it names none", { ...row, at: "/code" }, { content: { code: 1042 } }, true],
    ["but no proxy's number", { ...row, at: "/code" }, { content: { code: 1 } }, false],
    ["and no code of gRPC", { ...row, at: "/code" }, { content: { code: "NOT_FOUND" } }, false],
    ["unless for reads", { ...row, at: "/code" }, { content: { code: 1 }, acts: false }, true],
    ["but no empty one", { ...row, at: "/code" }, { content: { code: "" } }, false],
    ["nor true", { ...row, at: "/code" }, { content: { code: true } }, false],
    ["nor null", { ...row, at: "/code" }, { content: { code: null } }, false],
  ])("%s", (_, failure, changes, matches) => {
    expect(failureRowOf([failure], { ...answer, ...changes })).toBe(matches ? failure : undefined);
  });

  it.each<[string, boolean]>([
    ["MTR-1042", true],
    ["MTR-0000", true],
    ["MTR-104", false],
    ["MTR-10421", false],
    ["MTR-104A", false],
    ["mtr-1042", false],
    ["MTR-104٢", false],
  ])("a code by its pattern: %s", (code, matches) => {
    const failure = { ...own, is: ["MTR-####"] };
    expect(failureRowOf([failure], { ...answer, content: { code } }) === failure).toBe(matches);
  });

  it("a row for a family matches each client error except those of proxies", () => {
    const family: FailureRow = { ...row, status: "4xx", at: "/code" };
    const found = Array.from({ length: 600 }, (_, status) => status).filter(
      (status) => failureRowOf([family], { ...answer, status }) !== undefined,
    );
    const others = [401, 403, 407, 408, 409, 421, 424, 425, 429, 444, 460, 499];
    const all = Array.from({ length: 100 }, (_, number) => 400 + number);
    expect(found).toEqual(all.filter((status) => !others.includes(status)));
  });

  it("a row matches before the rows that follow it", () => {
    const later = { ...row, code: "NOT_ALLOWED" } as const;
    expect(failureRowOf([own, later], answer)).toBe(own);
    expect(failureRowOf([later, own], answer)).toBe(later);
    expect(failureRowOf([own, later], { ...answer, content: {} })).toBe(later);
  });

  it("HTML is recognised by its media types", () => {
    expect(["text/html", "application/xhtml+xml", "text/plain", ""].map(isHtml)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("rows of failures", () => {
  const both = [true, false];
  type Case = [string, object, readonly boolean[], RegExp | null];
  const json = "application/json";
  const any4xx = { status: "4xx" };
  const family = { ...own, ...any4xx };
  const unproved = (named: string): RegExp =>
    new RegExp(`: ${named}.* needs \`media\`, \`at\` and \`is\``);
  it.each<Case>([
    ["with a status", {}, both, null],
    ["with the first status of an answer", { status: 200 }, both, null],
    ["below it", { status: 199 }, both, /`status` must be/],
    ["with the last", { ...own, status: 599 }, both, null],
    ["above it", { ...own, status: 600 }, both, /`status` must be/],
    ["with half a status", { status: 400.5 }, both, /`status` must be/],
    ["without a status", { status: [] }, both, /`status` must be/],
    ["for a family of reads by its media type", { ...any4xx, media: json }, [false], null],
    ["for a family of reads by a place", { ...any4xx, at: "/code" }, [false], null],
    ["for a family by nothing", any4xx, both, /a family of statuses needs/],
    ["for a family by its media type", { ...any4xx, media: json }, both, unproved("a family")],
    ["for a family by any code", { ...any4xx, media: json, at: "/code" }, both, /list the insurer/],
    ["for a family, open", { ...any4xx, at: "/code", outcome: "unknown" }, [true], null],
    ...["MTR-1042", "MTR-####", "1042", "17", "99", "600", "E-5"].map(
      (code): Case => [`for a family by ${code}`, { ...family, is: [code] }, both, null],
    ),
    ...["0", "16", "-1", "100", "599", "4##", "####", "REJECTED", "invalid plate", "+-"].map(
      (code): Case => [
        `for a family by ${code}`,
        { ...family, is: ["MTR-1042", code] },
        both,
        /`is` has .*: proxies write numbers up to 16/,
      ],
    ),
    ["for a family of reads by a word", { ...family, is: ["REJECTED"] }, [false], null],
    ["for 401 with the insurer's own code", { ...own, status: 401 }, both, null],
    ["for 401 without a code", { ...own, status: 401, is: undefined }, [false], unproved("401")],
    ["for 403 without a type", { ...own, status: 403, media: undefined }, [false], unproved("403")],
    ["for 403 among others, without a place", { status: [400, 403] }, [false], unproved("403")],
    ["for a media type with a parameter", { media: "text/xml; a=b" }, both, /must be a media type/],
    ["for HTML", { media: "text/html" }, both, /proves nothing/],
    ["with a place that is none", { at: "code" }, both, /no JSON Pointer/],
    ["with codes", { at: "/code", is: ["NO"] }, both, null],
    ["with no code", { at: "/code", is: [] }, both, /`is` needs codes/],
    ["with codes nowhere", { is: ["NO"] }, both, /`is` needs codes/],
    ["without a reason", { why: " " }, both, /it needs a reason/],
    ["with a code of the gateway's", { code: "RATE_LIMITED" }, both, /not one of a refusal/],
    ["that leave a submission open", { outcome: "unknown" }, [true], null],
    ["that leave another call open", { outcome: "unknown" }, [false], /never means unknown/],
    ["for 498", { status: 498 }, [true], null],
    ["for 407, of calls that act", { ...own, status: 407 }, [true], /a 407 is a proxy's/],
    ["for 407, open", { ...own, status: 407, outcome: "unknown" }, [true], null],
    ["for 407, of calls that do not", { ...own, status: 407 }, [false], null],
    ...[302, 401, 408, 409, 421, 424, 429, 444, 460, 499, 502].flatMap((status): Case[] => [
      [`for ${status}, of calls that act`, { status }, [true], unproved(String(status))],
      [`for ${status} with the insurer's own code`, { ...own, status }, [true], null],
      [
        `for ${status} with a proxy's number`,
        { ...own, status, is: [String(status), "####"] },
        [true],
        /`is` has .*: proxies write/,
      ],
    ]),
    ["for 500, of calls that do not", { status: 500 }, [false], null],
    ["for 500, open", { status: 500, outcome: "unknown" }, [true], null],
    ["for 425 among others, of calls that act", { status: [400, 425] }, [true], unproved("425")],
    ["after acting, with codes", { ...own, afterActing: true }, [true], null],
    [
      "after acting, with a proxy's number",
      { at: "/code", is: ["404"], status: 404, afterActing: true },
      [true],
      /`is` has 404/,
    ],
    ...["UNAUTHENTICATED", "Server"].map(
      (code): Case => [
        `for 500 by ${code}`,
        { ...own, status: 500, is: [code] },
        [true],
        /proxies/,
      ],
    ),
    [
      "for 401 by a word in a problem",
      { ...own, status: 401, media: "application/problem+json", is: ["UNAUTHENTICATED"] },
      [true],
      null,
    ],
    ["after acting, without", { at: "/code", afterActing: true }, [true], /`afterActing` needs/],
  ])("%s", (_, changes, acting, fault) => {
    const found = failureFaults([row, { ...row, ...changes }], acting);
    if (fault === null) expect(found).toEqual([]);
    else {
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(fault);
      expect(found[0]).toMatch(/^`failures` row 2: /);
    }
  });
});
