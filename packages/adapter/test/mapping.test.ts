import { describe, expect, it } from "vitest";
import {
  amountText,
  type Codec,
  codes,
  dateText,
  decimalNumber,
  decimalText,
  flag,
  instantText,
  localTimeText,
  type Mapping,
  nullable,
  optional,
  plainText,
  readMapped,
  wholeNumber,
  writeMapped,
} from "../src/index.ts";

/** The name of a codec, the codec, and one value in our format and in the insurer's. */
const pairs: readonly (readonly [name: string, codec: Codec, ours: unknown, theirs: unknown])[] = [
  ["text", plainText, "012345678", "012345678"],
  ["text", plainText, "ΙΚΥ-1234", "ΙΚΥ-1234"],
  ["date", dateText("dd/MM/yyyy"), "2024-02-29", "29/02/2024"],
  ["date", dateText("yyyyMMdd"), "2000-02-29", "20000229"],
  ["date", dateText("dd.MM.yyyy"), "0099-01-31", "31.01.0099"],
  ["instant", instantText, "2026-11-21T08:00:00.000Z", "2026-11-21T08:00:00.000Z"],
  ["decimal", decimalText(",", 2), "1234.50", "1234,50"],
  ["decimal", decimalText(",", 2), "-0.05", "-0,05"],
  ["decimal", decimalText(".", 0), "12", "12"],
  ["amount", amountText(",", 2), 66.66, "66,66"],
  ["amount", amountText(",", 2), 100, "100,00"],
  ["decimalNumber", decimalNumber(2), "250.00", 250],
  ["decimalNumber", decimalNumber(2), "9999999999999.99", 9_999_999_999_999.99],
  ["decimalNumber", decimalNumber(0), "-999999999999999", -999_999_999_999_999],
  ["wholeNumber", wholeNumber, 20, "20"],
  ["codes", codes({ "00": "PRIVATE", "10": "TAXI" }), "TAXI", "10"],
  ["flag", flag("Y", "N"), false, "N"],
  ["flag", flag("Y", "N"), true, "Y"],
];

it.each(pairs)(
  "a codec converts a value to the insurer's format and back: %s, row %#",
  (_, codec, ours, theirs) => {
    expect(codec.write(ours)).toBe(theirs);
    expect(codec.read(theirs)).toBe(ours);
  },
);

/** Other forms of a value that an insurer may write. */
const readOnly: readonly (readonly [name: string, codec: Codec, theirs: unknown, ours: unknown])[] =
  [
    ["text", plainText, "  ΙΚΥ 1234 ", "ΙΚΥ 1234"],
    ["date", dateText("dd/MM/yyyy"), " 01/12/2026 ", "2026-12-01"],
    ["instant", instantText, "2026-11-21T02:30:00+02:00", "2026-11-21T00:30:00.000Z"],
    ["decimal", decimalText(",", 2, "."), "1.234.567,5", "1234567.50"],
    ["decimal", decimalText(",", 2, "."), "1234567,5", "1234567.50"],
    ["decimal", decimalText(",", 2), "7", "7.00"],
    ["decimal", decimalText(",", 2), "7,5000", "7.50"],
    ["codes", codes({ "1": "A" }), 1, "A"],
    ["codes", codes({ A: "APPROVED" }, { unknown: "UNDER_REVIEW" }), "Z", "UNDER_REVIEW"],
  ];

it.each(readOnly)(
  "a codec reads every form in which an insurer may write a value: %s, row %#",
  (_, codec, theirs, ours) => {
    expect(codec.read(theirs)).toBe(ours);
  },
);

const unreadable: readonly (readonly [name: string, codec: Codec, theirs: readonly unknown[]])[] = [
  ["text", plainText, [12345678, "", "  ", {}, ["a"], true]],
  [
    "date",
    dateText("dd/MM/yyyy"),
    ["31/02/2026", "29/02/2100", "00/01/2026", "01/13/2026", "1/1/2026", "2026-01-01", 20260101],
  ],
  [
    "instant",
    instantText,
    ["2026-02-30T00:00:00Z", "2026-11-21T08:00:00", "2026-11-21", 0, "2026-11-21T25:00:00Z"],
  ],
  [
    "decimal",
    decimalText(",", 2),
    ["1.234,50", "1,234", "1.5", "", ",5", "5,", "1e3", 5, "--1", "٣"],
  ],
  ["decimal", decimalText(",", 2, "."), ["1.23,00", "1..234", "12345.678"]],
  ["amount", amountText(",", 2), ["1,005", "99999999999999,00", "x"]],
  ["decimalNumber", decimalNumber(2), ["5", 0.001, Number.NaN, 1e13, Number.POSITIVE_INFINITY]],
  ["decimalNumber", decimalNumber(0), [1e15, -1e15]],
  ["wholeNumber", wholeNumber, ["1.0", "", "9007199254740993", "1e3", 4]],
  ["codes", codes({ A: "APPROVED" }), ["Z", "constructor", "__proto__", null, 1.5]],
  ["codes", codes({ A: "APPROVED" }, { unknown: "UNDER_REVIEW" }), [{}, [], true]],
  ["flag", flag("Y", "N"), ["y", "true", true, ""]],
];

it.each(unreadable)(
  "a codec cannot convert an insurer's value of an unexpected form: %s, row %#",
  (_, codec, values) => {
    for (const value of values) expect(codec.read(value), JSON.stringify(value)).toBeUndefined();
  },
);

it("a codec refuses to write a value that is not valid or would be rounded", () => {
  expect(dateText("dd/MM/yyyy").write("2026-02-30")).toBeUndefined();
  expect(decimalText(",", 2).write("1.005")).toBeUndefined();
  expect(amountText(",", 2).write(1.005)).toBeUndefined();
  expect(amountText(",", 2).write("1")).toBeUndefined();
  expect(codes({ A: "APPROVED" }).write("DECLINED")).toBeUndefined();
  expect(wholeNumber.write(2 ** 53)).toBeUndefined();
  expect(wholeNumber.write("1")).toBeUndefined();
  expect(flag("Y", "N").write("Y")).toBeUndefined();
  expect(plainText.write(7)).toBeUndefined();
  expect(instantText.write("2026-11-21")).toBeUndefined();
  expect(dateText("dd/MM/yyyy").write(20261201)).toBeUndefined();
  expect(decimalNumber(2).write("1.005")).toBeUndefined();
  expect(decimalNumber(2).write("99999999999999.00")).toBeUndefined();
  expect(decimalNumber(2).write(5)).toBeUndefined();
});

it.each([
  ["2026", 28],
  ["2024", 29],
  ["1900", 28],
  ["2000", 29],
])(
  "a date codec accepts the last day of each month, and refuses a day number above the last day: year %s",
  (year, february) => {
    const { read, write } = dateText("ddMMyyyy");
    const { read: instant } = instantText;
    const days = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (const [index, day] of days.entries()) {
      const month = String(index + 1).padStart(2, "0");
      const [last, later] = [`${year}-${month}-${day}`, `${year}-${month}-${day + 1}`];
      expect([write(last), write(later)]).toEqual([`${day}${month}${year}`, undefined]);
      expect([read(`${day}${month}${year}`), read(`00${month}${year}`)]).toEqual([last, undefined]);
      expect(instant(`${last}T00:00:00Z`)).toBe(`${last}T00:00:00.000Z`);
      expect(instant(`${later}T00:00:00Z`)).toBeUndefined();
    }
  },
);

describe("a local time without an offset", () => {
  const athens = localTimeText("dd/MM/yyyy HH:mm", "Europe/Athens");
  const earlier = localTimeText("dd/MM/yyyy HH:mm", "Europe/Athens", { ambiguous: "earlier" });
  const later = localTimeText("dd/MM/yyyy HH:mm", "Europe/Athens", { ambiguous: "later" });

  it.each([
    ["15/01/2026 00:00", "2026-01-14T22:00:00.000Z"],
    ["15/07/2026 00:00", "2026-07-14T21:00:00.000Z"],
    ["29/03/2026 02:59", "2026-03-29T00:59:00.000Z"],
    ["29/03/2026 04:00", "2026-03-29T01:00:00.000Z"],
    ["25/10/2026 02:59", "2026-10-24T23:59:00.000Z"],
    ["25/10/2026 04:00", "2026-10-25T02:00:00.000Z"],
  ])("a local time of the insurer is converted to UTC and back: %s is %s", (theirs, ours) => {
    for (const codec of [athens, earlier, later]) {
      expect(codec.read(theirs)).toBe(ours);
      expect(codec.write(ours)).toBe(theirs);
    }
  });

  it("the codec of local times refuses a time that does not exist because the clocks were set forward", () => {
    for (const codec of [athens, earlier, later])
      for (const theirs of [
        "29/03/2026 03:00",
        "29/03/2026 03:59",
        "31/02/2026 12:00",
        "01/01/2026 24:00",
      ])
        expect(codec.read(theirs)).toBeUndefined();
  });

  it("the codec of local times converts a time that occurs twice only if the dialect chooses the earlier or the later time", () => {
    const [first, second] = ["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"];
    expect([athens, earlier, later].map((codec) => codec.read("25/10/2026 03:30"))).toEqual([
      undefined,
      first,
      second,
    ]);
    expect([athens, earlier, later].map((codec) => codec.write(first))).toEqual([
      undefined,
      "25/10/2026 03:30",
      undefined,
    ]);
    expect(later.write(second)).toBe("25/10/2026 03:30");
  });

  it("the codec of local times refuses an instant that would have to be rounded, and an invalid pattern or time zone", () => {
    expect(athens.write("2026-01-15T10:00:30Z")).toBeUndefined();
    const withSeconds = localTimeText("yyyy-MM-ddTHH:mm:ss", "Europe/Athens");
    expect(withSeconds.write("2026-01-15T10:00:30Z")).toBe("2026-01-15T12:00:30");
    expect(withSeconds.write("2026-01-15T10:00:30.5Z")).toBeUndefined();
    expect(() => localTimeText("dd/MM/yyyy", "Europe/Athens")).toThrow("HH and mm once");
    expect(() => localTimeText("dd/MM/yyyy HH:mm", "Europe/Nowhere")).toThrow(RangeError);
  });
});

it("a date codec cannot be created from a pattern without exactly one year, month and day", () => {
  for (const pattern of ["dd/MM/yy", "yyyy-MM", "dd/MM/yyyy dd"])
    expect(() => dateText(pattern)).toThrow(TypeError);
});

describe("mapping rows", () => {
  const rows: Mapping = [
    ["/holder/afm", "/Customer/Vat", plainText],
    ["/note", "/Note", optional(plainText)],
    ["/dueDate", "/Due", nullable(dateText("dd/MM/yyyy"))],
    {
      group: ["/premium", "/Pricing"],
      nullable: true,
      fields: [["/gross", "/Total", decimalText(",", 2)]],
    },
    { list: ["/plates", "/Vehicles"], each: [["/number", "/Plate", plainText]] },
    { list: ["/tags", "/Tags/Tag"], each: plainText },
    { ours: "/documents", always: [] },
    { theirs: "/Channel", always: "WEB" },
  ];
  const ours = {
    holder: { afm: "012345678" },
    dueDate: null,
    premium: { gross: "250.00" },
    plates: [{ number: "ΙΚΥ-1234" }],
    tags: ["a", "b"],
    documents: [],
  };
  const theirs = {
    Customer: { Vat: "012345678" },
    Pricing: { Total: "250,00" },
    Vehicles: [{ Plate: "ΙΚΥ-1234" }],
    Tags: { Tag: ["a", "b"] },
    Channel: "WEB",
  };

  it("the rows of a mapping convert a value in both directions, and omit every field without a row", () => {
    expect(writeMapped(rows, { ...ours, more: 1 })).toEqual({ fits: true, value: theirs });
    expect(readMapped(rows, { ...theirs, More: 1 })).toEqual({ fits: true, value: ours });
  });

  it("a mapping converts a missing value to null only if the field is nullable", () => {
    const { Pricing: _, ...unpriced } = theirs;
    expect(readMapped(rows, unpriced)).toMatchObject({ fits: true, value: { premium: null } });
    expect(readMapped(rows, { ...theirs, Customer: {} })).toEqual({
      fits: false,
      at: "/Customer/Vat",
    });
    expect(readMapped(rows, { ...theirs, Customer: { Vat: null } })).toMatchObject({ fits: false });
  });

  it("the result of a failed mapping names the field that does not fit, without the field's value", () => {
    const wrong = { ...theirs, Vehicles: [{ Plate: "ΙΚΥ-1234" }, { Plate: 7 }] };
    expect(readMapped(rows, wrong)).toEqual({ fits: false, at: "/Vehicles/1/Plate" });
    expect(readMapped(rows, { ...theirs, Pricing: [] })).toEqual({ fits: false, at: "/Pricing" });
    expect(readMapped(rows, { ...theirs, Vehicles: {} })).toEqual({ fits: false, at: "/Vehicles" });
  });

  it.each([null, undefined, 1, "text", [], [[]]])(
    "a mapping rejects a value that is not an object with fields, and throws no error: %j",
    (value) => {
      expect(readMapped(rows, value)).toMatchObject({ fits: false });
      expect(writeMapped(rows, value)).toMatchObject({ fits: false });
    },
  );

  it("a mapping of repeated elements, as in XML, reads a missing element as an empty list and a single element as a list", () => {
    const list: Mapping = [{ list: ["", "/Usage"], each: [["/code", "/Code", plainText]] }];
    const read = (value: unknown) => readMapped(list, value, { lists: "repeated" });
    expect(read({})).toEqual({ fits: true, value: [] });
    expect(read({ Usage: { Code: "00" } })).toEqual({ fits: true, value: [{ code: "00" }] });
    expect(read({ Usage: "" })).toEqual({ fits: false, at: "/Usage/0/Code" });
    expect(readMapped(list, { Usage: { Code: "00" } })).toMatchObject({ fits: false });
  });

  it("a mapping ignores inherited properties and does not change an object's prototype", () => {
    expect(readMapped([["/a", "/constructor"]], {})).toMatchObject({ fits: false });
    const mapped = writeMapped([["/a", "/__proto__/polluted"]], { a: 1 });
    expect(mapped.fits && Object.getPrototypeOf(mapped.value)).toBe(Object.prototype);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});
