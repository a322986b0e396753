import { gzipSync } from "node:zlib";
import type { Arrival, Behaviour } from "../harness/insurer.ts";

/** For each documented status, the code with which provider D's insurer refuses a submission. */
const ownCodes = new Map([
  [401, "GW-401"],
  [403, "GW-403"],
  [409, "MTR-4091"],
  [422, "MTR-4022"],
  [429, "GW-429"],
  [503, "MTR-5031"],
]);
const OTHER_CODE = "MTR-4001";

/** Error answers of proxies, balancers and firewalls. */
const foreign: readonly ((status: number) => object)[] = [
  () => ({ code: 1, message: "context canceled" }),
  () => ({ code: 14, message: "upstream connect error", details: [] }),
  (status) => ({ code: status, message: "Gateway error" }),
  () => ({ code: "UNAUTHENTICATED", message: "Jwt is missing" }),
  () => ({ code: "REJECTED", message: "Request blocked" }),
  (status) => ({ statusCode: status, error: "Forbidden", message: "Request blocked" }),
  (status) => ({ error: { code: status, status: "ABORTED" } }),
];

interface Body {
  readonly content: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** True if the connection ends before the body is complete. */
  readonly isCut?: boolean;
}

const json = { "content-type": "application/json" };

/** Bodies of the answers in the table, made from the insurer's own body. */
export const bodies: Readonly<Record<string, (own: Body, status: number) => Body>> = {
  empty: () => ({ content: "", headers: {} }),
  HTML: ({ content }) => ({ content, headers: { "content-type": "text/html" } }),
  "the insurer's JSON": (own) => own,
  "another's JSON": (_, status) => {
    const write = foreign[status % foreign.length];
    return { content: JSON.stringify(write?.(status)), headers: json };
  },
  gzip: ({ content }) => ({
    content: gzipSync(content),
    headers: { ...json, "content-encoding": "gzip" },
  }),
  "cut off": (own) => ({ ...own, isCut: true }),
};

/** A cell of the table: one answer of the insurer. */
export interface Cell {
  readonly status: number;
  readonly body: string;
  /** True if the insurer executes the application before the answer. */
  readonly acts: boolean;
}

/** All cells of the table of status codes and bodies. */
export const cells: readonly Cell[] = Array.from({ length: 200 }, (_, index) => index + 400)
  .flatMap((status) => Object.keys(bodies).map((body) => ({ status, body })))
  .flatMap((cell) => [false, true].map((acts) => ({ ...cell, acts })));

const FIRST_AFM = 100_000_000;

/** Returns the tax number of the customer whose application gets the answer of a cell. */
export function afmOf(index: number): string {
  return String(FIRST_AFM + index);
}

/**
 * Answers each application with the answer of a cell, and every search with an empty list.
 * @param acted - receives the index of each cell whose application the insurer executes
 */
export function answeringCells(acted: (index: number) => void): Behaviour {
  return (response, arrival) => {
    const index = Number(/"taxNumber":"(\d{9})"/.exec(arrival.body)?.[1]) - FIRST_AFM;
    const cell = cells[index];
    const write = bodies[cell?.body ?? ""];
    if (cell === undefined || write === undefined)
      return void response.writeHead(200, json).end('{"applications":[],"count":0}');
    const { acts, status } = cell;
    if (acts) acted(index);
    const own = JSON.stringify(acts ? applicationOf(arrival) : refusalWith(status));
    const { content, headers, isCut = false } = write({ content: own, headers: json }, status);
    const length = Buffer.byteLength(content) + (isCut ? 1 : 0);
    response.writeHead(status, { ...headers, "content-length": length });
    if (isCut) response.write(content, () => response.destroy());
    else response.end(content);
  };
}

function applicationOf({ body }: Arrival): object {
  return { ...JSON.parse(body), applicationNumber: "D-1", state: "NEW" };
}

function refusalWith(status: number): object {
  return { code: ownCodes.get(status) ?? OTHER_CODE, message: "Refused.", fields: [] };
}
