import { type HonestAnswer, kinds } from "./book.ts";
import { actingOrNot, type Fault, response } from "./fault.ts";
import type { Conduct, Part } from "./insurer.ts";

const CREATED = "HTTP/1.1 201 Created\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";

const ends: Readonly<Record<string, NonNullable<Conduct["end"]>>> = {
  "closes the connection": "close",
  "resets the connection": "reset",
  "writes nothing more": "hang",
};

/** Incomplete answers. */
const fragments: Readonly<Record<string, (honest: HonestAnswer) => readonly Part[]>> = {
  nothing: () => [],
  "one letter of the status line": () => ["H"],
  "half a status line": () => ["HTTP/1.1 2"],
  "a status line": () => [CREATED],
  "half a header": () => [`${CREATED}Content-Ty`],
  "all headers and no body": (honest) => [headOf(response(honest))],
  "half a body": (honest) => [headOf(response(honest)), honest.body.slice(0, 40)],
  "the body without its last byte": (honest) => [response(honest).slice(0, -1)],
  "half a body without a length": (honest) => [
    `${CREATED}${JSON_TYPE}\r\n${honest.body.slice(0, 40)}`,
  ],
  "half a chunk": (honest) => [chunked(honest, `40\r\n${honest.body.slice(0, 16)}`)],
  "all chunks except the last": (honest) => [chunked(honest, chunk(honest.body))],
  "a chunk and a part of the next chunk's size": (honest) => [
    chunked(honest, `${chunk(honest.body)}0`),
  ],
};

const broken: readonly Fault[] = Object.entries(fragments).flatMap(([what, answer]) =>
  Object.entries(ends).flatMap(([then, end]) => {
    const faults = actingOrNot(`answers with ${what} and ${then}`, { answer, end });
    // A file without a length that ends with the connection looks complete, so the gateway cannot notice the cut.
    return what === "half a body without a length"
      ? faults.map((fault): Fault => ({ ...fault, kinds: ["submission"] }))
      : faults;
  }),
);

/** Answers with wrong framing. */
const framings: Readonly<Record<string, (honest: HonestAnswer) => readonly Part[]>> = {
  "a length that is 1 too small": (honest) => [withLength(honest, lengthOf(honest) - 1)],
  "a length of 10": (honest) => [withLength(honest, 10)],
  "a length of 0": (honest) => [withLength(honest, 0)],
  "a length that is 1 too large": (honest) => [withLength(honest, lengthOf(honest) + 1)],
  "a negative length": (honest) => [withLength(honest, -1)],
  "a length that is not a number": (honest) => [withLength(honest, Number.NaN)],
  "a length of 17 digits": (honest) => [framed(honest, "Content-Length: 99999999999999999")],
  "two lengths": (honest) => [
    framed(honest, `Content-Length: ${lengthOf(honest)}`, "Content-Length: 3"),
  ],
  "a length and chunks": (honest) => [
    response(honest, {
      framing: ["Content-Length: 3", "Transfer-Encoding: chunked"],
      body: `${chunk(honest.body)}0\r\n\r\n`,
    }),
  ],
  "a chunk size that is not a number": (honest) => [
    chunked(honest, `zz\r\n${honest.body}\r\n0\r\n\r\n`),
  ],
  "a chunk size of 18 digits": (honest) => [
    chunked(honest, `FFFFFFFFFFFFFFFFFF\r\n${honest.body}\r\n0\r\n\r\n`),
  ],
  "a chunk size that is too small": (honest) => [
    chunked(honest, `5\r\n${honest.body}\r\n0\r\n\r\n`),
  ],
  "an unknown transfer coding": (honest) => [framed(honest, "Transfer-Encoding: gzip")],
};

/** Answers whose head is not valid. */
const heads: Readonly<Record<string, (honest: HonestAnswer) => readonly Part[]>> = {
  "garbage before the status line": (honest) => [`~~~~\r\n${response(honest)}`],
  "zero bytes before the status line": (honest) => [`\0\0\0\0${response(honest)}`],
  "no status line at all, as in HTTP/0.9": () => ["<html><h1>OK</h1></html>\r\n"],
  "the bytes of HTTP/2": () => [Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])],
  "a TLS alert": () => [Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])],
  "the protocol ICY": (honest) => [response(honest).replace("HTTP/1.1", "ICY")],
  "the version HTTP/3.0": (honest) => [response(honest).replace("HTTP/1.1", "HTTP/3.0")],
  "the status 99": (honest) => [response(honest, { status: 99 })],
  "the status 000": (honest) => [response(honest).replace(/1\.1 \d+/, "1.1 000")],
  "the status 1000": (honest) => [response(honest, { status: 1000 })],
  "the status 2": (honest) => [response(honest, { status: 2 })],
  "a status in letters": (honest) => [response(honest).replace(/1\.1 \d+/, "1.1 OK")],
  "a head of 40 kB": (honest) => [
    response(honest, { headers: [`X-Filler: ${"x".repeat(40_000)}`] }),
  ],
  "10,000 headers": (honest) => [response(honest, { headers: Array(10_000).fill("X-Filler: x") })],
  "a header without a colon": (honest) => [response(honest, { headers: ["nonsense"] })],
  "a header with a zero byte": (honest) => [response(honest, { headers: ["X-Zero: a\0b"] })],
  "a header on two lines": (honest) => [response(honest, { headers: ["X-Folded: a", " b"] })],
  "101 Switching Protocols": () => [
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
  ],
};

const garbled: readonly Fault[] = Object.entries({ ...framings, ...heads }).flatMap(
  ([what, answer]) =>
    ["close", "hang"].flatMap((end) => {
      const then = end === "close" ? "closes the connection" : "keeps the connection";
      const conduct: Conduct = { answer, end: end === "close" ? "close" : "hang" };
      // The gateway accepts some of these answers as a success. If the insurer did not act, such a success is a lie
      // that no gateway can notice, so this case is left out.
      const readable = /two lines|too large|too small|and chunks|40 kB|ICY|transfer coding/.test(
        what,
      );
      return actingOrNot(`answers with ${what} and ${then}`, conduct).filter(
        ({ conduct: { acts } }) => acts !== false || !readable,
      );
    }),
);

const hundred = "HTTP/1.1 100 Continue\r\n\r\n";
const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n";

/** Interim answers without a final answer. */
const interim: readonly Fault[] = [
  ...actingOrNot("answers only 100 Continue", { answer: () => [hundred], end: "hang" }),
  ...actingOrNot("answers 100 Continue and closes", { answer: () => [hundred], end: "close" }),
  {
    name: "executes the request and answers 100 Continue first",
    kinds,
    conduct: { answer: (honest) => [hundred, response(honest)] },
  },
  ...actingOrNot("answers 103 and resets", { answer: () => [hints], end: "reset" }),
  ...actingOrNot("answers 102 until every deadline is over", {
    answer: () =>
      Array.from({ length: 8 }, () => ["HTTP/1.1 102 Processing\r\n\r\n", { wait: 150 }]).flat(),
    end: "hang",
  }),
];

/** Good answers in an unusual form, which the gateway must not report as unknown. */
const unusual: readonly Fault[] = Object.entries({
  "answers normally": (honest) => [response(honest)],
  "answers 103 Early Hints first": (honest) => [hints, { wait: 20 }, response(honest)],
  "answers in chunks": (honest) => [chunked(honest, `${chunk(honest.body)}0\r\n\r\n`)],
  "answers in many small pieces": (honest) =>
    // The pieces are bytes, so that some letters of several bytes are cut.
    (
      Buffer.from(response(honest))
        .toString("latin1")
        .match(/.{1,60}/gs) ?? []
    ).flatMap((piece) => [Buffer.from(piece, "latin1"), { wait: 1 }]),
  "announces that it will close the connection": (honest) => [
    response(honest, { headers: ["Connection: close"] }),
  ],
} satisfies Record<string, (honest: HonestAnswer) => readonly Part[]>).map(
  ([name, answer]): Fault => ({ name, kinds, conduct: { answer }, certain: "success" }),
);

/** Faults in the bytes of an answer. */
export const transferFaults: readonly Fault[] = [
  ...unusual,
  ...broken,
  ...garbled,
  ...interim,
  {
    name: "executes the request only after the deadline",
    kinds: ["submission"],
    conduct: { acts: "late", answer: () => [], end: "hang" },
  },
  {
    name: "closes the connection and executes the request later",
    kinds: ["submission"],
    conduct: { acts: "late", answer: () => [], end: "close" },
  },
  {
    name: "answers 502 for its proxy and executes the request later",
    kinds: ["submission"],
    conduct: {
      acts: "late",
      answer: (honest) => [
        response(honest, { status: 502, mediaType: "text/html", body: "<h1>Bad Gateway</h1>" }),
      ],
    },
  },
];

function headOf(whole: string): string {
  return whole.slice(0, whole.indexOf("\r\n\r\n") + 4);
}

function lengthOf({ body }: HonestAnswer): number {
  return Buffer.byteLength(body);
}

function framed(honest: HonestAnswer, ...framing: readonly string[]): string {
  return response(honest, { framing });
}

function withLength(honest: HonestAnswer, length: number): string {
  return framed(honest, `Content-Length: ${length}`);
}

function chunked(honest: HonestAnswer, body: string): string {
  return response(honest, { framing: ["Transfer-Encoding: chunked"], body });
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
