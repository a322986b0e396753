import type { DifferenceKind } from "../../../src/events.ts";
import type { Subject } from "./drift-site.ts";
import {
  applications,
  brands,
  countries,
  declaredPage,
  quotation,
  soapAnswer,
  usages,
} from "./insurer-contents.ts";

/** One change of an insurer's answer, and the difference that the gateway must report. */
export interface Mutation {
  readonly subject: Subject;
  readonly change: string;
  readonly answer: unknown;
  readonly pointer: string;
  readonly kind: DifferenceKind;
  readonly breaking: boolean;
}

type Row = readonly [
  change: string,
  at: string,
  value: unknown,
  pointer: string,
  kind: DifferenceKind,
  effect: "breaks" | "passes",
];

const GONE = undefined;

/**
 * Replaces the value at the path `at` of JSON content. A number in the path is a position in a list. The value `GONE`
 * removes the field.
 */
function changed(content: unknown, at: string, value: unknown): unknown {
  const copy: unknown = structuredClone(content);
  const names = at.split("/").slice(1);
  const last = names.pop() ?? "";
  const holder = Object(names.reduce((one, name) => Reflect.get(Object(one), name), copy));
  if (value === GONE) Reflect.deleteProperty(holder, last);
  else Reflect.set(holder, last, value);
  return copy;
}

const ofSubject = (subject: Subject, content: unknown, rows: readonly Row[]): Mutation[] =>
  rows.map(([change, at, value, pointer, kind, effect]) => ({
    subject,
    change,
    answer: at === "" ? value : changed(content, at, value),
    pointer,
    kind,
    breaking: effect === "breaks",
  }));

const replaced = (from: string, to: string): string => soapAnswer(usages.replace(from, to));

const item = "/MotorItems/*";
const country = "/content/*";
const application = "/applications/*";
const declared = "/items/*";

/** The changes of insurers' answers, by insurer. */
export const mutations: readonly Mutation[] = [
  ...ofSubject("brands", brands, [
    ["a new field of an item", "/MotorItems/1/Segment", "B", `${item}/Segment`, "added", "passes"],
    ["a missing code", "/MotorItems/1/ItemCode", GONE, `${item}/ItemCode`, "missing", "breaks"],
    ["a code that is a number", "/MotorItems/1/ItemCode", 17, `${item}/ItemCode`, "type", "breaks"],
    ["a name that is null", "/MotorItems/1/ItemName", null, `${item}/ItemName`, "null", "breaks"],
    ["a blank name", "/MotorItems/2/ItemName", " ", `${item}/ItemName`, "format", "breaks"],
  ]),
  ...ofSubject("countries", countries, [
    ["a new object", "/content/0/embassy", { city: "X" }, `${country}/embassy`, "added", "passes"],
    ["a new zone", "/content/0/tariffZone", "D", `${country}/tariffZone`, "enum", "breaks"],
    [
      "a zone that is a flag",
      "/content/0/tariffZone",
      true,
      `${country}/tariffZone`,
      "type",
      "breaks",
    ],
    [
      "another word for yes",
      "/content/1/schengenMember",
      "J",
      `${country}/schengenMember`,
      "format",
      "breaks",
    ],
    ["missing names", "/content/1/labels", GONE, `${country}/labels`, "missing", "breaks"],
  ]),
  ...ofSubject("usages", usages, [
    [
      "a new element",
      "",
      replaced("</q:usage>", "<q:seats>5</q:seats></q:usage>"),
      "/usage/*/seats",
      "added",
      "passes",
    ],
    ["a new group", "", replaced(">EIX<", ">EV<"), "/usage/*/group", "enum", "passes"],
    [
      "a missing code",
      "",
      replaced("<q:usageCode>00</q:usageCode>", ""),
      "/usage/*/usageCode",
      "missing",
      "breaks",
    ],
    [
      "a name that is nil",
      "",
      replaced(
        "<q:descriptionEn>Private car<",
        '<q:descriptionEn i:nil="true" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><',
      ),
      "/usage/*/descriptionEn",
      "null",
      "breaks",
    ],
    [
      "a name that has elements",
      "",
      replaced(">Private car<", "><q:short>Car</q:short><"),
      "/usage/*/descriptionEn",
      "type",
      "breaks",
    ],
    [
      "a blank name",
      "",
      replaced(">Private car<", "> <"),
      "/usage/*/descriptionEn",
      "format",
      "breaks",
    ],
  ]),
  ...ofSubject("applications", applications, [
    ["a new field", "/applications/0/broker", "X", `${application}/broker`, "added", "passes"],
    ["a new state", "/applications/0/state", "ON_HOLD", `${application}/state`, "enum", "passes"],
    ["a missing state", "/applications/0/state", GONE, `${application}/state`, "missing", "breaks"],
    [
      "a state that is an object",
      "/applications/0/state",
      { code: "NEW" },
      `${application}/state`,
      "type",
      "breaks",
    ],
    [
      "an amount with three decimals",
      "/applications/0/charge/net",
      1.005,
      `${application}/charge/net`,
      "format",
      "breaks",
    ],
    [
      "a holder that is null",
      "/applications/0/policyholder",
      null,
      `${application}/policyholder`,
      "null",
      "breaks",
    ],
  ]),
  ...ofSubject("quote", quotation, [
    ["a new field", "/taxPercent", "15,00", "/taxPercent", "added", "passes"],
    ["an amount with a point", "/premiumMonthly", "100.00", "/premiumMonthly", "format", "breaks"],
    ["an amount that is a number", "/premiumMonthly", 100, "/premiumMonthly", "type", "breaks"],
    [
      "a new scenario",
      "/projections/0/scenario",
      "STRESS",
      "/projections/*/scenario",
      "enum",
      "breaks",
    ],
    ["missing years", "/basis/annuityYears", GONE, "/basis/annuityYears", "missing", "breaks"],
    ["projections that are null", "/projections", null, "/projections", "null", "breaks"],
  ]),
  ...ofSubject("declared", declaredPage, [
    ["a new field", "/items/0/broker", "X", `${declared}/broker`, "added", "passes"],
    ["a new status", "/items/0/status", "ON_HOLD", `${declared}/status`, "enum", "passes"],
    ["a status that is null", "/items/0/status", null, `${declared}/status`, "null", "breaks"],
    ["a missing status", "/items/0/status", GONE, `${declared}/status`, "missing", "breaks"],
    [
      "an amount that is a number",
      "/items/0/premium/net",
      100.5,
      `${declared}/premium/net`,
      "type",
      "breaks",
    ],
    [
      "an amount with one decimal",
      "/items/0/premium/net",
      "100.5",
      `${declared}/premium/net`,
      "format",
      "breaks",
    ],
  ]),
];
