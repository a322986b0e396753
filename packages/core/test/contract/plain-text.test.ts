import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { submission } from "../../src/contract/index.ts";
import { inputChecker, type RawInput } from "../../src/runtime.ts";
import { anything, strict, zod } from "../../src/schema/index.ts";

interface Person {
  name: string;
  lines: string[];
  notes: Record<string, string>;
}

interface PersonQuery {
  search2?: string;
}

/** An endpoint whose texts are declared as plain strings, without a rule. */
const createPerson = submission<{
  query: PersonQuery;
  body: { person: Person };
  response: unknown;
}>({
  provider: "provider-m",
  path: "/people",
  query: strict<PersonQuery>({ search2: z.exactOptional(z.string()) }),
  body: strict<{ person: Person }>({
    person: zod(
      strict<Person>({
        name: z.string(),
        lines: z.array(z.string()),
        notes: z.record(z.string(), z.string()),
      }),
    ),
  }),
  response: { 201: strict<Record<never, never>>({}) },
});
const checkPerson = inputChecker(createPerson);
const person: Person = { name: "Ελένη Παπαδοπούλου", lines: ["one"], notes: { first: "2" } };

function faultsOf(raw: Partial<RawInput>): readonly string[] {
  const checked = checkPerson({ params: {}, search: "", body: { person }, ...raw });
  return checked.valid ? [] : checked.faults.map(({ code, pointer }) => `${pointer} ${code}`);
}

const named = (name: unknown): Partial<RawInput> => ({ body: { person: { ...person, name } } });

describe("texts in requests", () => {
  it.each([
    "Ελένη Παπαδοπούλου-O’Brien",
    "Παπα\u00adδόπουλος",
    "\u00a0é ß ﷼ 漢字 🚗",
    "ά with a combining accent: α\u0301",
    "zero\u200dwidth joiner",
  ])(
    "the request checker accepts letters of all languages, emoji and invisible joiners in a text: %j",
    (name) => {
      expect(faultsOf(named(name))).toEqual([]);
    },
  );

  it.each([
    ..."\u0000 \u0007 \t \n \r \u001b \u001f \u007f \u0080 \u0085 \u009f".split(" "),
    ..."\u061c \u200e \u200f \u2028 \u2029 \u202a \u202e \u2066 \u2069".split(" "),
  ])(
    "the request checker refuses a control, line-separator or text-direction character at any position: %j",
    (character) => {
      expect(faultsOf(named(`before${character}after`))).toEqual(["/person/name FORMAT"]);
      expect(faultsOf(named(character))).toEqual(["/person/name FORMAT"]);
    },
  );

  it("the request checker examines the texts of all parts of a request, and reports all faults together", () => {
    const body = {
      person: { name: "a\nb", lines: ["one", "two\u202e"], notes: { first: "\u001b[2J" } },
    };
    expect(faultsOf({ search: "search2=a%0D%0Ab", body })).toEqual([
      "/query/search2 FORMAT",
      "/person/name FORMAT",
      "/person/lines/1 FORMAT",
      // The caller chose the name of the note, so the fault does not contain it.
      "/person/notes FORMAT",
    ]);
  });

  it.each([
    [
      "an unknown field's name with such a character",
      { "1234567\u202e89": "x" },
      "/person UNKNOWN_FIELD",
    ],
    [
      "such a character below an unknown field",
      { "123456789": { below: "\u0000" } },
      "/person UNKNOWN_FIELD",
    ],
    [
      "a map key with a forbidden character",
      { notes: { "Mar\u0000ia": "x" } },
      "/person/notes FORMAT",
    ],
  ])(
    "a fault about a forbidden character names only declared fields, never a name chosen by the caller: %s",
    (_, more, expected) => {
      expect(faultsOf({ body: { person: { ...person, ...more } } })).toEqual([expected]);
    },
  );

  it.each([
    [{ lines: ["one", "two\u202e"] }, "/person/lines/1 FORMAT"],
    [{ lines: ["one\u202e", "two"] }, "/person/lines/0 FORMAT"],
    [{ notes: { first: "a", second: "\n" } }, "/person/notes FORMAT"],
  ])(
    "the request checker refuses a list or map if one text in the list or map has a forbidden character: %j",
    (more, fault) => {
      expect(faultsOf({ body: { person: { ...person, ...more } } })).toEqual([fault]);
    },
  );

  it("the request checker examines texts down to 64 levels, the maximum depth of a body", () => {
    const anyValue = submission<{ body: { text: unknown; deep: unknown }; response: unknown }>({
      provider: "provider-m",
      path: "/any",
      body: strict<{ text: unknown; deep: unknown }>({ text: anything(), deep: anything() }),
      response: { 201: strict<Record<never, never>>({}) },
    });
    const listsAround = (levels: number, value: unknown): unknown =>
      levels === 0 ? value : listsAround(levels - 1, [value]);
    const pointersOf = (text: string, levels: number): readonly string[] => {
      const body = { text, deep: listsAround(levels, "\u0000") };
      const checked = inputChecker(anyValue)({ params: {}, search: "", body });
      return checked.valid ? [] : checked.faults.map(({ pointer }) => pointer);
    };
    const deepest = `/deep${"/0".repeat(63)}`;
    expect([pointersOf("", 63), pointersOf("", 64)]).toEqual([[deepest], []]);
    expect([pointersOf("\u0000", 63), pointersOf("\u0000", 64)]).toEqual([
      ["/text", deepest],
      ["/text"],
    ]);
  });

  it("a fault does not repeat the name of an unknown query parameter with a forbidden character", () => {
    expect(faultsOf({ search: "a%00b=c" })).toEqual(["/query UNKNOWN_FIELD"]);
  });
});
