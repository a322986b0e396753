import { type AnswerForm, plainText } from "@insurance-gateway/adapter";
import { read } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  createCompareAnswer,
  type ReceivedAnswer,
} from "../../../src/insurers/drift/compare-answer.ts";

interface Thing {
  id: string;
  holder: { name: string };
}
const endpoint = read<{ response: Thing }>({
  provider: "provider-x",
  path: "/things",
  response: {
    200: loose<Thing>({
      id: z.string().check(z.maxLength(3)),
      holder: z.looseObject({ name: z.string() }),
    }),
  },
});
const mediaType = "application/json";
const declared: AnswerForm = { type: "declared", status: 200, mediaType };
const mapped: AnswerForm = {
  type: "mapped",
  status: 200,
  rows: [
    ["/id", "/number", plainText],
    { group: ["/holder", "/person"], fields: [["/name", "/fullName", plainText]] },
  ],
  mapping: {},
  beside: [],
  unread: [],
};

const theirs = { number: "7", person: { fullName: "M" } };
const ours = { id: "7", holder: { name: "M" } };
const body = (content: unknown, form: AnswerForm = mapped): ReceivedAnswer["bodies"][number] => ({
  content,
  form,
});
const made = (content: unknown, more: object = {}): ReceivedAnswer["value"] => ({
  status: 200,
  mediaType,
  content,
  ...more,
});

const compare = createCompareAnswer();
/** Creates the expected differences, each as `pointer kind`, with `!` if the difference breaks the declaration. */
const found = (
  bodies: ReceivedAnswer["bodies"],
  value: ReceivedAnswer["value"],
  isBroken = false,
): readonly string[] =>
  compare(endpoint, { bodies, value, isBroken }).map(
    ({ breaking, kind, pointer }) => `${pointer} ${kind}${breaking ? "!" : ""}`,
  );

describe("the comparison of an answer with its declaration", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["an answer as declared", found([body(ours, declared)], made(ours)), []],
    ["an answer that the adapter's rows read completely", found([body(theirs)], made(ours)), []],
    [
      "an answer in the declared form, which has one difference",
      found([body({ ...ours, more: 1 }, declared)], made({ ...ours, other: 1 })),
      ["/more added"],
    ],
    [
      "an answer with an undeclared status or type, which is not compared",
      [
        ...found([body({}, { ...declared, status: 404 })], null),
        ...found([body({}, { ...declared, mediaType: "text/html" })], null),
        ...found([], made({}, { status: 404 })),
      ],
      [],
    ],
    [
      "several pages with the same difference, which is listed once",
      found([body({ ...theirs, more: 1 }), body({ ...theirs, more: 2, less: 1 })], null),
      ["/more added", "/less added"],
    ],
    [
      "a value that only the declaration refuses, with its place in the insurer's answer",
      found([body({ ...theirs, number: "1234" })], made({ ...ours, id: "1234" }), true),
      ["/number format!"],
    ],
    [
      "a wrong value that the adapter made, with its place in the insurer's answer",
      found([body(theirs)], made({ ...ours, holder: { name: 7 } }), true),
      ["/person/fullName type!"],
    ],
    [
      "fields that the adapter made and no row reads",
      found([body(theirs)], made({ ...ours, holder: { name: "M", made: 1 }, more: 1 })),
      [],
    ],
    [
      "a group that the adapter left out",
      found([body(theirs)], made({ id: "7" }), true),
      ["/person missing!"],
    ],
    [
      "an answer without a body, compared as the adapter made it",
      found([], made({ ...ours, a: 1 })),
      ["/a added"],
    ],
    [
      "a usable answer, whose differences are not breaking",
      found([body({ number: 7 })], null),
      ["/number type", "/person missing"],
    ],
    [
      "an unusable answer, which has a breaking difference",
      found([body(theirs)], null, true),
      [" format!"],
    ],
    [
      "an unusable answer with a difference that is not breaking",
      found([body({ ...theirs, more: 1 })], null, true),
      ["/more added", " format!"],
    ],
  ])(
    "the drift comparison lists the differences between an answer and its declaration: %s",
    (_, differences, expected) => {
      expect(differences).toEqual(expected);
    },
  );

  it("the drift comparison compares each answer with the declaration of the endpoint that was called", () => {
    const other = read<{ response: { id: number } }>({
      provider: "provider-x",
      path: "/others",
      response: { 200: loose<{ id: number }>({ id: z.number() }) },
    });
    const differences = compare(other, {
      bodies: [body({ id: 7 }, declared)],
      value: null,
      isBroken: false,
    });
    expect(differences).toEqual([]);
  });
});
