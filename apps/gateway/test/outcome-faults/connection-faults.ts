import { type Kind, kinds } from "./book.ts";
import { type Fault, response } from "./fault.ts";
import type { Conduct } from "./insurer.ts";
import type { ReadAmount } from "./request-reader.ts";

/** Faults because of which the gateway cannot send anything. */
const ways: readonly Fault[] = [
  { name: "has a host name without an address", way: "no address", conduct: {} },
  { name: "refuses the connection", way: "refused", conduct: {} },
  { name: "never accepts the connection", way: "never accepted", conduct: {} },
  {
    name: "does not speak TLS and waits",
    way: "https",
    conduct: { reads: "nothing", end: "hang" },
  },
  {
    name: "does not speak TLS and closes",
    way: "https",
    conduct: { reads: "nothing", end: "close" },
  },
  {
    name: "resets the TLS handshake",
    way: "https",
    conduct: { reads: { bytes: 5 }, end: "reset" },
  },
  {
    name: "answers the TLS handshake with HTTP",
    way: "https",
    conduct: {
      reads: { bytes: 5 },
      answer: () => ["HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"],
      end: "close",
    },
  },
  {
    name: "answers the TLS handshake with a fatal alert",
    way: "https",
    conduct: {
      reads: { bytes: 5 },
      answer: () => [Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])],
      end: "close",
    },
  },
  {
    name: "answers the TLS handshake with half a record",
    way: "https",
    conduct: {
      reads: { bytes: 5 },
      answer: () => [Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00, 0x02])],
      end: "hang",
    },
  },
].map((fault) => ({ ...fault, kinds, certain: "not_sent" }) as Fault);

const ends: Readonly<Record<string, Conduct["end"]>> = {
  "closes the connection": "close",
  "resets the connection": "reset",
  "reads no more": "hang",
};

/** Parts of the request that the insurer reads, and the kinds of call whose requests have these parts. */
const amounts: readonly (readonly [string, ReadAmount | "nothing", readonly Kind[]])[] = [
  ["nothing of the request", "nothing", kinds],
  ["1 byte of the head", { bytes: 1 }, kinds],
  ["30 bytes of the head", { bytes: 30 }, kinds],
  ["all of the head", { head: "whole", bodyBytes: 0 }, ["submission"]],
  ["1 byte of the body", { head: "whole", bodyBytes: 1 }, ["submission"]],
  ["100 bytes of the body", { head: "whole", bodyBytes: 100 }, ["submission"]],
  ["all but the last byte", { allButBytes: 1 }, ["submission"]],
];

const partlyRead: readonly Fault[] = amounts.flatMap(([what, reads, some]) =>
  Object.entries(ends).map(
    ([then, end]): Fault => ({
      name: `reads ${what} and ${then}`,
      kinds: some,
      conduct: { reads, acts: false, answer: () => [], ...(end && { end }) },
    }),
  ),
);

/** Answers to a request that the insurer has not read completely. */
const early: readonly Fault[] = (
  [
    ["as soon as it is connected", "nothing"],
    ["after 1 byte of the head", { bytes: 1 }],
    ["after the head", { head: "whole", bodyBytes: 0 }],
  ] as const
).flatMap(([when, reads]) => {
  const parts = {
    "with a stranger's application": { status: 201 },
    "with an empty 500": { status: 500, body: "", mediaType: null },
    "with an empty 201": { status: 201, body: "", mediaType: null },
    "with a firewall's page and 403": { status: 403, body: "<h1>No</h1>", mediaType: "text/html" },
  };
  return Object.entries(parts).map(
    ([what, changes]): Fault => ({
      name: `answers ${when} ${what}`,
      kinds: ["submission"],
      conduct: {
        reads,
        acts: false,
        answer: (honest) => [response(honest, changes)],
        end: "close",
      },
    }),
  );
});

/** Faults before the insurer has read the whole request. */
export const connectionFaults: readonly Fault[] = [
  ...ways,
  ...partlyRead.map((fault) =>
    fault.conduct.end === "hang" && fault.conduct.reads === "nothing"
      ? { ...fault, name: "never reads" }
      : fault,
  ),
  ...early,
];
