import {
  codes,
  decimalNumber,
  type Mapping,
  nullable,
  optional,
  plainText,
} from "@insurance-gateway/adapter";
import { describe, expect, it } from "vitest";
import { compareMapped, type MappedForm } from "../../../src/insurers/drift/compare-mapped.ts";

const rows: Mapping = [
  ["/id", "/number", plainText],
  ["/note", "/remarks/first", optional(plainText)],
  ["/raw", "/raw"],
  ["/seats", "/seats", nullable(decimalNumber(0))],
  { ours: "/currency", always: "EUR" },
  { theirs: "/version", always: 2 },
  // This mapping row reads a field of an object, and a later row reads the object as a group.
  ["/city", "/party/person/city", optional(plainText)],
  {
    group: ["/holder", "/party/person"],
    fields: [["/name", "/fullName", plainText]],
  },
  {
    group: ["/broker", "/agent"],
    nullable: true,
    fields: [["/code", "/code", codes({ "1": "A", "2": "B" })]],
  },
  { list: ["/covers", "/risks"], each: [["/kind", "/type", plainText]] },
  { list: ["/tags", "/labels"], each: plainText },
  { list: ["/hints", "/hints"], each: nullable(plainText) },
];

const formOf = (
  lists?: "repeated",
  beside: MappedForm["beside"] = [
    { at: "/total", required: true },
    { at: "/page/size", required: false },
  ],
): MappedForm => ({
  type: "mapped",
  status: 200,
  rows,
  mapping: lists === undefined ? {} : { lists },
  beside,
  unread: ["/served", "/risks/*/comment"],
});

const good = {
  number: "7",
  remarks: { first: "x" },
  raw: [1],
  seats: 5,
  party: { person: { fullName: "M" } },
  agent: { code: "1" },
  risks: [{ type: "fire", comment: "read by nobody" }, { type: "theft" }],
  labels: ["a", "b"],
  hints: [null, "h"],
  total: 1,
  page: { size: 10 },
  served: { by: "x" },
};

/** Returns the differences of an answer, each as `pointer kind`, with `!` if the difference breaks the declaration. */
function found(content: unknown, form: MappedForm = formOf()): readonly string[] {
  return compareMapped(form)
    .compare(content)
    .map(({ breaking, kind, pointer }) => `${pointer} ${kind}${breaking ? "!" : ""}`);
}

const without = (name: string): object =>
  Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));

describe("the comparison of an answer with the adapter's mapping rows", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["no difference", good, []],
    ["a missing text", without("number"), ["/number missing!"]],
    ["null instead of a text", { ...good, number: null }, ["/number null!"]],
    ["a number instead of a text", { ...good, number: 7 }, ["/number type!"]],
    ["a blank text", { ...good, number: " " }, ["/number format!"]],
    ["a missing optional field", { ...good, remarks: {} }, []],
    ["a missing object with an optional field", without("remarks"), []],
    ["null instead of an optional field", { ...good, remarks: { first: null } }, []],
    [
      "an optional field of another type",
      { ...good, remarks: { first: 1 } },
      ["/remarks/first type!"],
    ],
    ["a number instead of an object with an optional field", { ...good, remarks: 5 }, []],
    ["any type in a field without a codec", { ...good, raw: { a: 1 } }, []],
    ["a missing field without a codec", without("raw"), ["/raw missing!"]],
    ["null instead of a nullable number", { ...good, seats: null }, []],
    ["a number with decimals", { ...good, seats: 1.5 }, ["/seats format!"]],
    ["a missing group", without("party"), ["/party missing!"]],
    ["null instead of a group", { ...good, party: { person: null } }, ["/party/person null!"]],
    ["a text instead of a group", { ...good, party: { person: "M" } }, ["/party/person type!"]],
    [
      "a text instead of the object that contains a group",
      { ...good, party: "M" },
      ["/party type!"],
    ],
    [
      "a missing field of a group",
      { ...good, party: { person: {} } },
      ["/party/person/fullName missing!"],
    ],
    ["null instead of a nullable group", { ...good, agent: null }, []],
    ["a missing nullable group", without("agent"), []],
    ["an unlisted code", { ...good, agent: { code: "3" } }, ["/agent/code enum!"]],
    ["an object instead of a code", { ...good, agent: { code: {} } }, ["/agent/code type!"]],
    ["a missing list", without("risks"), ["/risks missing!"]],
    ["null instead of a list", { ...good, risks: null }, ["/risks null!"]],
    ["an object instead of a list", { ...good, risks: { type: "fire" } }, ["/risks type!"]],
    ["null instead of an item", { ...good, risks: [null] }, ["/risks/* null!"]],
    ["a text instead of an item", { ...good, risks: ["fire"] }, ["/risks/* type!"]],
    ["an item without its field", { ...good, risks: [{}] }, ["/risks/*/type missing!"]],
    ["items of another type", { ...good, labels: [1, 2] }, ["/labels/* type!"]],
    ["null instead of a text item", { ...good, labels: [null] }, ["/labels/* null!"]],
    ["a nullable text item of another type", { ...good, hints: [1] }, ["/hints/* type!"]],
    ["a missing required field that no row reads", without("total"), ["/total missing!"]],
    ["a missing optional field that no row reads", without("page"), []],
    ["an additional field", { ...good, color: 1 }, ["/color added"]],
    ["an additional field whose name may be personal data", { ...good, "1234": 1 }, ["/* added"]],
    [
      "additional fields below known fields",
      {
        ...good,
        page: { size: 1, more: 1 },
        party: { person: { fullName: "M", city: "x", age: 1 } },
        risks: [{ type: "x", sum: 1 }],
        agent: { code: "2", id: 1 },
      },
      ["/party/person/age added", "/risks/*/sum added", "/agent/id added", "/page/more added"],
    ],
    [
      "an additional field below a field that the adapter ignores",
      { ...good, served: { for: 1 } },
      [],
    ],
    ["a text instead of the whole answer", "text", [" type!"]],
    ["null instead of the whole answer", null, [" null!"]],
  ])(
    "the drift comparison lists the differences between an insurer's answer and the adapter's mapping rows: %s",
    (_, content, differences) => {
      const all = found(content);
      // Each mapping row finds the same difference in a value that is not an object; `differences` has no repetition.
      expect(all.toSorted()).toEqual([...differences].toSorted());
    },
  );

  it.each<[string, unknown, readonly string[]]>([
    ["one item", { ...good, risks: { type: "fire" } }, []],
    ["no item", without("risks"), []],
    ["an empty item", { ...good, risks: "" }, ["/risks/*/type missing!"]],
    ["an empty group", { ...good, party: { person: "" } }, ["/party/person/fullName missing!"]],
    ["a text instead of an item", { ...good, risks: "fire" }, ["/risks/* type!"]],
    ["one text", { ...good, labels: "a" }, []],
    [
      "an additional field in one item",
      { ...good, risks: { type: "fire", sum: 1 } },
      ["/risks/*/sum added"],
    ],
  ])(
    "the drift comparison reads a repeatable element in XML as a list, even if the element occurs once: %s",
    (_, content, differences) => {
      expect(found(content, formOf("repeated"))).toEqual(differences);
    },
  );

  it("the drift comparison lists at most fifty differences of an answer", () => {
    const letters = "abcdefghij".split("");
    const additions = letters.flatMap((one) => letters.map((other) => [`${one}_${other}`, 1]));
    expect(found({ ...good, ...Object.fromEntries(additions) })).toHaveLength(50);
  });
});

describe("the insurer's field for a declared field", () => {
  it.each<[string, string | null]>([
    ["/id", "/number"],
    ["/id/below", "/number/below"],
    ["/note", "/remarks/first"],
    ["/raw/0/x", "/raw/0/x"],
    ["/currency", null],
    ["/nothing", null],
    ["/holder", "/party/person"],
    ["/holder/name", "/party/person/fullName"],
    ["/holder/other", null],
    ["/covers", "/risks"],
    ["/covers/*", "/risks/*"],
    ["/covers/*/kind", "/risks/*/type"],
    ["/covers/*/other", null],
    ["/tags/*", "/labels/*"],
    ["/tags/*/below", "/labels/*/below"],
  ])(
    "the drift comparison finds the insurer's field from which the adapter makes a declared field: %s is read from %s",
    (ours, theirs) => {
      const place = compareMapped(formOf()).insurerPlace(ours.split("/").slice(1));
      expect(place === null ? null : place.map((name) => `/${name}`).join("")).toBe(theirs);
    },
  );
});
