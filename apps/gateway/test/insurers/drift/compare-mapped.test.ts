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
  // Below what a later row reads as a group.
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

/** The differences of an answer, each as `pointer kind`, with `!` where it breaks. */
function found(content: unknown, form: MappedForm = formOf()): readonly string[] {
  return compareMapped(form)
    .compare(content)
    .map(({ breaking, kind, pointer }) => `${pointer} ${kind}${breaking ? "!" : ""}`);
}

const without = (name: string): object =>
  Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));

describe("an insurer's answer, compared with the rows that read it", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["nothing", good, []],
    ["a text that is gone", without("number"), ["/number missing!"]],
    ["a text that is null", { ...good, number: null }, ["/number null!"]],
    ["a text that is a number", { ...good, number: 7 }, ["/number type!"]],
    ["a text that is blank", { ...good, number: " " }, ["/number format!"]],
    ["what is optional that is gone", { ...good, remarks: {} }, []],
    ["what is optional that is gone with its holder", without("remarks"), []],
    ["what is optional that is null", { ...good, remarks: { first: null } }, []],
    [
      "what is optional of another type",
      { ...good, remarks: { first: 1 } },
      ["/remarks/first type!"],
    ],
    ["a holder of another type", { ...good, remarks: 5 }, []],
    ["what has no codec, of any type", { ...good, raw: { a: 1 } }, []],
    ["what has no codec, that is gone", without("raw"), ["/raw missing!"]],
    ["a number that is null", { ...good, seats: null }, []],
    ["a number with decimals", { ...good, seats: 1.5 }, ["/seats format!"]],
    ["a group that is gone", without("party"), ["/party missing!"]],
    ["a group that is null below", { ...good, party: { person: null } }, ["/party/person null!"]],
    ["a group that is a text", { ...good, party: { person: "M" } }, ["/party/person type!"]],
    ["what holds a group and is a text", { ...good, party: "M" }, ["/party type!"]],
    [
      "a field of a group that is gone",
      { ...good, party: { person: {} } },
      ["/party/person/fullName missing!"],
    ],
    ["a nullable group that is null", { ...good, agent: null }, []],
    ["a nullable group that is gone", without("agent"), []],
    ["a code that is not listed", { ...good, agent: { code: "3" } }, ["/agent/code enum!"]],
    ["a code that is an object", { ...good, agent: { code: {} } }, ["/agent/code type!"]],
    ["a list that is gone", without("risks"), ["/risks missing!"]],
    ["a list that is null", { ...good, risks: null }, ["/risks null!"]],
    ["a list that is an object", { ...good, risks: { type: "fire" } }, ["/risks type!"]],
    ["an item that is null", { ...good, risks: [null] }, ["/risks/* null!"]],
    ["an item that is a text", { ...good, risks: ["fire"] }, ["/risks/* type!"]],
    ["an item without its field", { ...good, risks: [{}] }, ["/risks/*/type missing!"]],
    ["items of another type", { ...good, labels: [1, 2] }, ["/labels/* type!"]],
    ["an item of texts that is null", { ...good, labels: [null] }, ["/labels/* null!"]],
    ["an item of optional texts of another type", { ...good, hints: [1] }, ["/hints/* type!"]],
    ["what is read beside the rows that is gone", without("total"), ["/total missing!"]],
    ["what may be read beside the rows that is gone", without("page"), []],
    ["an addition", { ...good, color: 1 }, ["/color added"]],
    ["an addition whose name may be personal", { ...good, "1234": 1 }, ["/* added"]],
    [
      "additions below what is known",
      {
        ...good,
        page: { size: 1, more: 1 },
        party: { person: { fullName: "M", city: "x", age: 1 } },
        risks: [{ type: "x", sum: 1 }],
        agent: { code: "2", id: 1 },
      },
      ["/party/person/age added", "/risks/*/sum added", "/agent/id added", "/page/more added"],
    ],
    ["additions below what nobody reads", { ...good, served: { for: 1 } }, []],
    ["a text in place of it all", "text", [" type!"]],
    ["null in place of it all", null, [" null!"]],
  ])("has %s", (_, content, differences) => {
    const all = found(content);
    // A value that is not an object has the same difference for each of its rows, and is listed once.
    expect(all.toSorted()).toEqual([...differences].toSorted());
  });

  it.each<[string, unknown, readonly string[]]>([
    ["one item", { ...good, risks: { type: "fire" } }, []],
    ["no item", without("risks"), []],
    ["an empty item", { ...good, risks: "" }, ["/risks/*/type missing!"]],
    ["an empty group", { ...good, party: { person: "" } }, ["/party/person/fullName missing!"]],
    ["a text as an item", { ...good, risks: "fire" }, ["/risks/* type!"]],
    ["one text", { ...good, labels: "a" }, []],
    [
      "an addition in one item",
      { ...good, risks: { type: "fire", sum: 1 } },
      ["/risks/*/sum added"],
    ],
  ])("an insurer's answer in XML may have %s as a list", (_, content, differences) => {
    expect(found(content, formOf("repeated"))).toEqual(differences);
  });

  it("lists fifty differences at most", () => {
    const letters = "abcdefghij".split("");
    const additions = letters.flatMap((one) => letters.map((other) => [`${one}_${other}`, 1]));
    expect(found({ ...good, ...Object.fromEntries(additions) })).toHaveLength(50);
  });
});

describe("a place of the declared answer", () => {
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
  ])("%s is %s in the insurer's body", (ours, theirs) => {
    const place = compareMapped(formOf()).theirPlace(ours.split("/").slice(1));
    expect(place === null ? null : place.map((name) => `/${name}`).join("")).toBe(theirs);
  });
});
