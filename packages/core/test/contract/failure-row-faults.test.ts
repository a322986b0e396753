import { describe, expect, it } from "vitest";
import { failureFaults } from "../../src/contract/failure-faults.ts";
import type { FailureRow } from "../../src/contract/failures.ts";
import { reading, refusalOf } from "../harness/refused.ts";

const row: FailureRow = { status: 422, code: "CONFLICT", outcome: "rejected", why: "The manual." };
const own: FailureRow = { ...row, media: "application/json", at: "/code", is: ["NO", "17"] };

describe("failure row declarations", () => {
  type Calls = "reads" | "submissions" | "both";
  const actingOf: Readonly<Record<Calls, readonly boolean[]>> = {
    reads: [false],
    submissions: [true],
    both: [true, false],
  };
  type Case = readonly [name: string, changes: object, calls: Calls, fault: string | null];
  const json = "application/json";
  const any4xx = { status: "4xx" };
  const family = { ...own, ...any4xx };
  const unproved = (named: string): string =>
    `${named} needs \`media\`, \`at\` and \`is\`, because a proxy may send this status, too; list the insurer's own codes: \`is: ["MTR-1042"]\`, or \`["MTR-####"]\` with # for any digit`;
  const foreign = (codes: string): string =>
    `\`is\` has ${codes}: proxies write numbers up to 16, numbers from 100 to 599, the codes of gRPC and SOAP and plain words, too; list other numbers one by one, and give the insurer's own word a row with its own status`;
  const status = '`status` must be a status from 200 to 599, several of them, or "4xx"';
  const codes = "`is` needs codes, and `at` with the place of the code in the answer";
  const cases: readonly Case[] = [
    ["a status", {}, "both", null],
    ["the status 200", { status: 200 }, "both", null],
    ["the status 199", { status: 199 }, "both", status],
    ["the status 599", { ...own, status: 599 }, "both", null],
    ["the status 600", { ...own, status: 600 }, "both", status],
    ["a fractional status", { status: 400.5 }, "both", status],
    ["no status", { status: [] }, "both", status],
    ["4xx with a media type", { ...any4xx, media: json }, "reads", null],
    ["4xx with the place of a code", { ...any4xx, at: "/code" }, "reads", null],
    [
      "4xx alone",
      any4xx,
      "both",
      "a family of statuses needs the insurer's own error format: `media` or `at`",
    ],
    [
      "4xx with only a media type",
      { ...any4xx, media: json },
      "both",
      unproved("a family of statuses"),
    ],
    [
      "4xx with a media type and any code",
      { ...any4xx, media: json, at: "/code" },
      "both",
      unproved("a family of statuses"),
    ],
    [
      "4xx with any code, with the outcome unknown",
      { ...any4xx, at: "/code", outcome: "unknown" },
      "submissions",
      null,
    ],
    ...["MTR-1042", "MTR-####", "1042", "17", "99", "600", "E-5"].map(
      (code): Case => [`4xx with the code ${code}`, { ...family, is: [code] }, "both", null],
    ),
    ...["0", "16", "-1", "100", "599", "4##", "####", "REJECTED", "invalid plate", "+-"].map(
      (code): Case => [
        `4xx with the code ${code}`,
        { ...family, is: ["MTR-1042", code] },
        "both",
        foreign(code),
      ],
    ),
    ["4xx with a word as the code", { ...family, is: ["REJECTED"] }, "reads", null],
    ["401 with the insurer's own code", { ...own, status: 401 }, "both", null],
    ["401 without a code", { ...own, status: 401, is: undefined }, "reads", unproved("401")],
    [
      "403 without a media type",
      { ...own, status: 403, media: undefined },
      "reads",
      unproved("403"),
    ],
    ["400 and 403 without the place of a code", { status: [400, 403] }, "reads", unproved("403")],
    [
      "a media type with a parameter",
      { media: "text/xml; a=b" },
      "both",
      "`media` text/xml; a=b must be a media type in lower case, without parameters",
    ],
    [
      "the media type of HTML",
      { media: "text/html" },
      "both",
      "`media` must not be HTML, because a page proves nothing",
    ],
    [
      "a place that is not a JSON Pointer",
      { at: "code" },
      "both",
      "`at` code must be a JSON Pointer",
    ],
    ["a code with its place", { at: "/code", is: ["NO"] }, "both", null],
    ["an empty list of codes", { at: "/code", is: [] }, "both", codes],
    ["codes without their place", { is: ["NO"] }, "both", codes],
    ["a blank reason", { why: " " }, "both", "`why` must state a reason"],
    [
      "an error code that only the gateway uses",
      { code: "RATE_LIMITED" },
      "both",
      "the code RATE_LIMITED must be one of the codes for insurers' error answers",
    ],
    ["the outcome unknown", { outcome: "unknown" }, "submissions", null],
    [
      "the outcome unknown",
      { outcome: "unknown" },
      "reads",
      "the code CONFLICT must not have the outcome unknown for a call that does not act at the insurer",
    ],
    ["498", { status: 498 }, "submissions", null],
    [
      "407",
      { ...own, status: 407 },
      "submissions",
      "a row must not match 407: a proxy's answer proves nothing about a submission",
    ],
    [
      "407 with the outcome unknown",
      { ...own, status: 407, outcome: "unknown" },
      "submissions",
      null,
    ],
    ["407", { ...own, status: 407 }, "reads", null],
    ...[302, 401, 408, 409, 421, 424, 429, 444, 460, 499, 502].flatMap((status): Case[] => [
      [`${status}`, { status }, "submissions", unproved(String(status))],
      [`${status} with the insurer's own code`, { ...own, status }, "submissions", null],
      [
        `${status} with a proxy's number`,
        { ...own, status, is: [String(status), "####"] },
        "submissions",
        foreign(`${status}, ####`),
      ],
    ]),
    ["500", { status: 500 }, "reads", null],
    ["500 with the outcome unknown", { status: 500, outcome: "unknown" }, "submissions", null],
    ["400 and 425", { status: [400, 425] }, "submissions", unproved("425")],
    ["`afterActing` with codes", { ...own, afterActing: true }, "submissions", null],
    [
      "`afterActing` with a proxy's number",
      { at: "/code", is: ["404"], status: 404, afterActing: true },
      "submissions",
      foreign("404"),
    ],
    ...["UNAUTHENTICATED", "Server"].map(
      (code): Case => [
        `500 with the code ${code}`,
        { ...own, status: 500, is: [code] },
        "submissions",
        foreign(code),
      ],
    ),
    [
      "401 with a word as the code of a problem",
      { ...own, status: 401, media: "application/problem+json", is: ["UNAUTHENTICATED"] },
      "submissions",
      null,
    ],
    [
      "`afterActing` without codes",
      { at: "/code", afterActing: true },
      "submissions",
      "`afterActing` needs `is`: the code that says whether the submission was carried out",
    ],
  ];
  for (const [name, changes, calls, fault] of cases) {
    const verb = fault === null ? "accepts" : "refuses";
    const subject =
      calls === "both"
        ? "a row of the `failures` table"
        : `a row of the \`failures\` table for ${calls}`;
    it(`the declaration check ${verb} ${subject}: ${name}`, () => {
      const faults = fault === null ? [] : [`\`failures\` row 2: ${fault}`];
      expect(failureFaults([row, { ...row, ...changes }], actingOf[calls])).toEqual(faults);
    });
  }

  it("the declaration check reports faults in the `failures` table of an endpoint and of the provider", () => {
    const failures = [{ ...row, outcome: "not_sent" }];
    const fault =
      "`failures` row 1: the code CONFLICT must not have the outcome not_sent for a call that does not act at the insurer";
    expect(refusalOf({ declared: { ...reading("/x"), failures } })).toBe(`declared: ${fault}`);
    expect(refusalOf({ declared: reading("/x") }, "provider-m", { failures })).toBe(fault);
  });

  it("a submission's `failures` rows may have the outcome `unknown`, and may match 4xx answers by the insurer's own codes", () => {
    const acting = { kind: "submission", method: "DELETE", idempotency: "none" };
    const failures = [
      { ...row, status: 500, at: "/code", outcome: "unknown" },
      { ...own, status: "4xx", is: ["E-1042", "1042"] },
    ];
    expect(refusalOf({ declared: { ...reading("/x"), ...acting, failures } })).toBe("accepted");
  });
});
