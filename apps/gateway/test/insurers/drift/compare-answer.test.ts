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
/** The differences, each as `pointer kind`, with `!` where it breaks. */
const found = (
  bodies: ReceivedAnswer["bodies"],
  value: ReceivedAnswer["value"],
  isBroken = false,
): readonly string[] =>
  compare(endpoint, { bodies, value, isBroken }).map(
    ({ breaking, kind, pointer }) => `${pointer} ${kind}${breaking ? "!" : ""}`,
  );

describe("an answer", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["as it is declared has no difference", found([body(ours, declared)], made(ours)), []],
    ["that the rows read has none", found([body(theirs)], made(ours)), []],
    [
      "of the declared form is compared once",
      found([body({ ...ours, more: 1 }, declared)], made({ ...ours, other: 1 })),
      ["/more added"],
    ],
    [
      "of the declared form with another status, or of another type, is not compared",
      [
        ...found([body({}, { ...declared, status: 404 })], null),
        ...found([body({}, { ...declared, mediaType: "text/html" })], null),
        ...found([], made({}, { status: 404 })),
      ],
      [],
    ],
    [
      "is compared page by page, and the same difference is listed once",
      found([body({ ...theirs, more: 1 }), body({ ...theirs, more: 2, less: 1 })], null),
      ["/more added", "/less added"],
    ],
    [
      "that only its declaration refuses has the place in what the insurer sent",
      found([body({ ...theirs, number: "1234" })], made({ ...ours, id: "1234" }), true),
      ["/number format!"],
    ],
    [
      "with a breaking difference that only the adapter made has no place",
      found([body(theirs)], made({ ...ours, holder: { name: 7 } }), true),
      ["/person/fullName type!"],
    ],
    [
      "whose adapter made something that no row reads",
      found([body(theirs)], made({ ...ours, holder: { name: "M", made: 1 }, more: 1 })),
      [],
    ],
    [
      "whose adapter left a group out",
      found([body(theirs)], made({ id: "7" }), true),
      ["/person missing!"],
    ],
    ["without a body is compared as it was made", found([], made({ ...ours, a: 1 })), ["/a added"]],
    [
      "that could be used breaks nothing",
      found([body({ number: 7 })], null),
      ["/number type", "/person missing"],
    ],
    ["that could not be used breaks something", found([body(theirs)], null, true), [" format!"]],
    [
      "that could not be used has its other differences, too",
      found([body({ ...theirs, more: 1 })], null, true),
      ["/more added", " format!"],
    ],
  ])("%s", (_, differences, expected) => {
    expect(differences).toEqual(expected);
  });

  it("an answer of another endpoint with the same rows is compared with its own declaration", () => {
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
