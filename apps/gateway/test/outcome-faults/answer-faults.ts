import { gzipSync } from "node:zlib";
import type { HonestAnswer, Kind } from "./book.ts";
import { actingOrNot, type Fault, type ResponseChanges, response } from "./fault.ts";

const HTML = "<!doctype html><title>OK</title><h1>Your request was received</h1>";
const JSON_KINDS: readonly Kind[] = ["submission", "search", "lookup"];

/** Successes that are not the declared one, by status. */
const successes: readonly Fault[] = [200, 201, 202, 203, 204, 205, 206, 226, 299].flatMap(
  (status): readonly Fault[] => {
    const bodies: Readonly<Record<string, ResponseChanges>> = {
      "no body": { body: "", mediaType: null },
      "an empty object": { body: "{}", mediaType: "application/json" },
      "a web page": { body: HTML, mediaType: "text/html" },
    };
    const poor = Object.entries(bodies).flatMap(([what, changes]) =>
      actingOrNot(`answers ${status} with ${what}`, {
        answer: (honest) => [response(honest, { ...changes, status })],
      }),
    );
    const whole: Fault = {
      name: `carries the request out and answers ${status} with its application`,
      kinds: ["submission"],
      conduct: { answer: (honest) => [response(honest, { status })] },
    };
    return [...poor, whole];
  },
);

/** Bodies that cannot be read, whatever is sent. */
const unreadable: Readonly<Record<string, (honest: HonestAnswer) => string>> = {
  "cut JSON": ({ body }) => body.slice(0, -10),
  "JSON with a comma at its end": ({ body }) => `${body.slice(0, -1)},}`,
  "JSON in single quotes": ({ body }) => body.replaceAll('"', "'"),
  "two JSON documents": ({ body }) => `${body}${body}`,
  "JSON after a guard": ({ body }) => `)]}',\n${body}`,
  "JSON with NaN": ({ body }) => `${body.slice(0, -1)},"x":NaN}`,
  "JSON that is 100,000 deep": () => "[".repeat(100_000) + "]".repeat(100_000),
  "objects that are 50,000 deep": () => `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
  null: () => "null",
  "an empty list": () => "[]",
  "a text": () => '"OK"',
  "a number": () => "201",
  true: () => "true",
  spaces: () => "   \r\n ",
};

/** Media types that are not JSON's. */
const mediaTypes: readonly (string | null)[] = [
  null,
  "text/html",
  "text/plain",
  "application/xml",
  "application/octet-stream",
  "multipart/mixed; boundary=x",
  "application/problem+json",
  ";;;",
];

/** Good answers in another form than declared; a reader may take them or not, and must not refuse them. */
const odd: Readonly<Record<string, (honest: HonestAnswer) => string | Buffer>> = {
  "a byte order mark": (honest) => response(honest, { body: `\uFEFF${honest.body}` }),
  "UTF-16": (honest) => bytes(honest, Buffer.from(honest.body, "utf16le"), "; charset=utf-16"),
  "the charset of Western Europe in its type": (honest) =>
    response(honest, { mediaType: "application/json; charset=iso-8859-1" }),
  "the bytes of Western Europe": (honest) =>
    bytes(honest, Buffer.from(honest.body.replace(/[^ -~]/g, "é"), "latin1"), ""),
  "more than 2 MB of spaces": (honest) =>
    response(honest, { body: honest.body + " ".repeat(2_200_000) }),
  "an unknown field of 3 MB": (honest) =>
    response(honest, { body: `${honest.body.slice(0, -1)},"filler":"${"x".repeat(3_000_000)}"}` }),
  "gzip that nobody asked for": (honest) =>
    bytes(honest, gzipSync(honest.body), "", "Content-Encoding: gzip"),
  "a word for gzip and no gzip": (honest) =>
    response(honest, { headers: ["Content-Encoding: gzip"] }),
  "an own field called __proto__": (honest) =>
    response(honest, { body: `${honest.body.slice(0, -1)},"__proto__":{"applicationId":"X-1"}}` }),
  "an unknown status": (honest) =>
    response(honest, { body: honest.body.replace('"RECEIVED"', '"LOST_IN_THE_POST"') }),
  "a created time that is no time": (honest) =>
    response(honest, { body: honest.body.replace(/"createdAt":"[^"]*"/, '"createdAt":"today"') }),
  "only its identifier": ({ application, ...honest }) =>
    response(
      { application, ...honest },
      { body: JSON.stringify({ applicationId: application.applicationId }) },
    ),
  "only its identifier, under another name": ({ application, ...honest }) =>
    response(
      { application, ...honest },
      { body: JSON.stringify({ id: application.applicationId }) },
    ),
  "a number as its identifier": (honest) =>
    response(honest, {
      body: honest.body.replace(/"applicationId":"[^"]*"/, '"applicationId":4711'),
    }),
  "an empty identifier": (honest) =>
    response(honest, {
      body: honest.body.replace(/"applicationId":"[^"]*"/, '"applicationId":""'),
    }),
  "the customer's number as its identifier": ({ application, ...honest }) =>
    response(
      { application, ...honest },
      {
        body: JSON.stringify({ ...application, applicationId: application.holder.afm }),
      },
    ),
};

/** Faults in the form of a complete answer. */
export const answerFaults: readonly Fault[] = [
  ...successes,
  ...Object.entries(unreadable).flatMap(([what, bodyOf]) =>
    actingOrNot(
      `answers with ${what}`,
      {
        answer: (honest) => [response(honest, { body: bodyOf(honest) })],
      },
      {},
    ).map((fault) => ({ ...fault, kinds: fault.kinds.filter((kind) => kind !== "document") })),
  ),
  ...mediaTypes.flatMap((mediaType) => [
    ...actingOrNot(`answers with a web page as ${mediaType ?? "no type"}`, {
      answer: (honest) => [response(honest, { mediaType, body: HTML })],
    }),
    {
      name: `carries the request out and calls its JSON ${mediaType ?? "nothing"}`,
      kinds: JSON_KINDS,
      conduct: { answer: (honest: HonestAnswer) => [response(honest, { mediaType })] },
    },
  ]),
  ...Object.entries(odd).map(
    ([what, answer]): Fault => ({
      name: `carries the request out and answers with ${what}`,
      kinds: ["submission"],
      conduct: { answer: (honest) => [answer(honest)] },
    }),
  ),
];

function bytes(
  honest: HonestAnswer,
  body: Buffer,
  parameters: string,
  ...headers: readonly string[]
): Buffer {
  const head = response(honest, {
    body: "",
    mediaType: honest.mediaType + parameters,
    headers,
    framing: [`Content-Length: ${body.length}`],
  });
  return Buffer.concat([Buffer.from(head), body]);
}
