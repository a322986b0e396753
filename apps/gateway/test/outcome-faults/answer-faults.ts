import { gzipSync } from "node:zlib";
import type { HonestAnswer, Kind } from "./book.ts";
import { actingOrNot, type Fault, type ResponseChanges, response } from "./fault.ts";

const HTML = "<!doctype html><title>OK</title><h1>Your request was received</h1>";
const JSON_KINDS: readonly Kind[] = ["submission", "search", "lookup"];

/** Success answers that differ from the declared success, by status. */
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
      name: `executes the request and answers ${status} with its application`,
      kinds: ["submission"],
      conduct: { answer: (honest) => [response(honest, { status })] },
    };
    return [...poor, whole];
  },
);

/** Bodies that cannot be read as the declared answer. */
const unreadable: Readonly<Record<string, (honest: HonestAnswer) => string>> = {
  "cut JSON": ({ body }) => body.slice(0, -10),
  "JSON with a comma at its end": ({ body }) => `${body.slice(0, -1)},}`,
  "JSON in single quotes": ({ body }) => body.replaceAll('"', "'"),
  "two JSON documents": ({ body }) => `${body}${body}`,
  "JSON after a security prefix": ({ body }) => `)]}',\n${body}`,
  "JSON with NaN": ({ body }) => `${body.slice(0, -1)},"x":NaN}`,
  "lists that are nested 100,000 deep": () => "[".repeat(100_000) + "]".repeat(100_000),
  "objects that are nested 50,000 deep": () => `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
  null: () => "null",
  "an empty list": () => "[]",
  "a JSON string": () => '"OK"',
  "a number": () => "201",
  true: () => "true",
  "white space": () => "   \r\n ",
};

/** Media types other than JSON. */
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

/** Good answers in an undeclared form, which the gateway may accept, but must not report as a refusal. */
const odd: Readonly<Record<string, (honest: HonestAnswer) => string | Buffer>> = {
  "a byte order mark": (honest) => response(honest, { body: `\uFEFF${honest.body}` }),
  "UTF-16": (honest) => bytes(honest, Buffer.from(honest.body, "utf16le"), "; charset=utf-16"),
  "the charset ISO-8859-1 in its media type": (honest) =>
    response(honest, { mediaType: "application/json; charset=iso-8859-1" }),
  "bytes in ISO-8859-1": (honest) =>
    bytes(honest, Buffer.from(honest.body.replace(/[^ -~]/g, "é"), "latin1"), ""),
  "more than 2 MB of spaces": (honest) =>
    response(honest, { body: honest.body + " ".repeat(2_200_000) }),
  "an unknown field of 3 MB": (honest) =>
    response(honest, { body: `${honest.body.slice(0, -1)},"filler":"${"x".repeat(3_000_000)}"}` }),
  "gzip that the gateway did not request": (honest) =>
    bytes(honest, gzipSync(honest.body), "", "Content-Encoding: gzip"),
  "a header for gzip and a plain body": (honest) =>
    response(honest, { headers: ["Content-Encoding: gzip"] }),
  "a field called __proto__": (honest) =>
    response(honest, { body: `${honest.body.slice(0, -1)},"__proto__":{"applicationId":"X-1"}}` }),
  "an unknown status": (honest) =>
    response(honest, { body: honest.body.replace('"RECEIVED"', '"LOST_IN_THE_POST"') }),
  "a creation time that is not a time": (honest) =>
    response(honest, { body: honest.body.replace(/"createdAt":"[^"]*"/, '"createdAt":"today"') }),
  "only the identifier": ({ application, ...honest }) =>
    response(
      { application, ...honest },
      { body: JSON.stringify({ applicationId: application.applicationId }) },
    ),
  "only the identifier, under another name": ({ application, ...honest }) =>
    response(
      { application, ...honest },
      { body: JSON.stringify({ id: application.applicationId }) },
    ),
  "a number as the identifier": (honest) =>
    response(honest, {
      body: honest.body.replace(/"applicationId":"[^"]*"/, '"applicationId":4711'),
    }),
  "an empty identifier": (honest) =>
    response(honest, {
      body: honest.body.replace(/"applicationId":"[^"]*"/, '"applicationId":""'),
    }),
  "the customer's tax number as the identifier": ({ application, ...honest }) =>
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
      name: `executes the request and labels its JSON as ${mediaType ?? "no type"}`,
      kinds: JSON_KINDS,
      conduct: { answer: (honest: HonestAnswer) => [response(honest, { mediaType })] },
    },
  ]),
  ...Object.entries(odd).map(
    ([what, answer]): Fault => ({
      name: `executes the request and answers with ${what}`,
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
