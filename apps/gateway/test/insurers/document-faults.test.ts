import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";

const PACKAGE = `
import { defineProvider, document, pdf } from "@insurance-gateway/core/contract";
import { strict, text } from "@insurance-gateway/core/schema";
const provider = "provider-m";
const query = strict({ ending: text(40) });
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    downloadPolicy: document({ provider, path: "/policy", query, fileName: "policy", files: [pdf] }),
  },
});`;

/** Adapter that passes on the insurer's document. The query parameter `ending` selects how the document ends. */
const ADAPTER = `
const fault = () => new TypeError("of the customer 123456783");
// These bytes exceed all buffers, so that the iterator's next value waits until the caller has read them.
const large = Buffer.alloc(8_000_000);
const endings = {
  async *whole() {},
  async *throws() { throw fault(); },
  async *"gives no bytes"() { yield large; yield 5; },
  async *"gives nothing"() { yield large; yield undefined; },
  async *"gives null"() { yield large; yield null; },
};
async function* contentOf(pieces, ending) {
  yield* pieces;
  yield* endings[ending]();
}
async function* failingAtItsEnd(pieces) {
  try {
    yield* pieces;
  } finally {
    throw fault();
  }
}
function withoutResult(pieces) {
  const given = pieces[Symbol.asyncIterator]();
  let asked = 0;
  const next = async () => (asked++ === 0 ? given.next() : undefined);
  return { [Symbol.asyncIterator]: () => ({ next, return: () => given.return() }) };
}
// An iterator without promises, as a JavaScript adapter may write it, with the methods of all iterators.
function withoutPromises(ending) {
  const given = [Buffer.from("%PDF-1.7\\n%%EOF")];
  const next = () => {
    const value = given.shift();
    if (value === undefined && ending === "throws without a promise") throw fault();
    return { done: value === undefined, value };
  };
  const close = () => {
    if (ending === "cannot be closed without a promise") throw fault();
    return {};
  };
  return { [Symbol.asyncIterator]: () => ({ __proto__: Iterator.prototype, next, return: close }) };
}
export const adapter = {
  name: "m",
  failures: [],
  async call(endpoint, { query: { ending } }, send) {
    const pieces = (await send({ method: "GET", path: "/policy" })).stream();
    const content =
      ending === "cannot be closed" ? failingAtItsEnd(pieces)
      : ending === "gives no result" ? withoutResult(pieces)
      : ending.endsWith("without a promise") ? withoutPromises(ending)
      : contentOf(pieces, ending);
    return { type: "document", mediaType: "application/pdf", content };
  },
};`;

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer((response) =>
    response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.7\n%%EOF"),
  );
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE, ADAPTER);
  const provider = insurerConfiguration("m", insurer.baseUrl, { adapter: undefined });
  gateway = await startInProcess(
    { providers: [{ ...provider, package: "provider-m" }] },
    {},
    { folder },
  );
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

function download(ending: string): Promise<Response> {
  const path = `/provider-m/policy?ending=${encodeURIComponent(ending)}`;
  return gateway.ask(path);
}

/** Returns the log lines of a request after the request has ended. */
async function linesAbout(response: Response): Promise<readonly Record<string, unknown>[]> {
  const id = response.headers.get("x-request-id") ?? "none";
  const lines = (): readonly string[] => gateway.log.filter((line) => line.includes(id));
  await expect.poll(lines).toContainEqual(expect.stringContaining('"msg":"request"'));
  return lines().map((line) => JSON.parse(line));
}

/** Returns how many requests the metrics count as broken off because of a fault of the gateway. */
async function counted(): Promise<number> {
  const text = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  const line = text
    .split("\n")
    .find((one) => one.startsWith("insurance_gateway_requests_total{") && one.includes("INTERNAL"));
  return Number(line?.split(" ").at(-1) ?? 0);
}

it.each([
  "throws",
  "gives no bytes",
  "gives nothing",
  "gives null",
  "gives no result",
  "cannot be closed",
  "throws without a promise",
])(
  "the gateway breaks off a document and logs a fault if the adapter's iterator fails after the last piece: the iterator %s",
  async (ending) => {
    const before = await counted();
    const response = await download(ending);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    const lines = await linesAbout(response);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 50,
        msg: "failed",
        failure: expect.objectContaining({ kind: "TypeError" }),
      }),
      expect.objectContaining({
        msg: "request",
        status: 200,
        code: "INTERNAL_ERROR",
        callerGone: false,
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain("123456783");
    expect(await counted()).toBe(before + 1);
    const next = await download("whole");
    expect(await next.text()).toBe("%PDF-1.7\n%%EOF");
  },
);

it.each(["ends without a promise", "cannot be closed without a promise"])(
  "the caller receives a complete document even if the adapter's iterator returns no promises: the iterator %s",
  async (ending) => {
    const response = await download(ending);
    expect(await response.text()).toBe("%PDF-1.7\n%%EOF");
    expect(await linesAbout(response)).toEqual([
      expect.objectContaining({ msg: "request", status: 200, code: null, callerGone: false }),
    ]);
  },
);

it("the log names the insurer's failure, and not a disconnect of the caller, if the insurer breaks off a document", async () => {
  let breakOff: () => void = () => {};
  insurer.behaviour = (response) => {
    response.writeHead(200, { "content-type": "application/pdf", "content-length": "1000" });
    response.write("%PDF-1.7\nfirst");
    breakOff = () => void response.socket?.resetAndDestroy();
  };
  // The caller has the head of the answer and the first piece of the document.
  const response = await download("whole");
  breakOff();
  await expect(response.arrayBuffer()).rejects.toThrow();
  expect(await linesAbout(response)).toEqual([
    expect.objectContaining({
      msg: "request",
      status: 200,
      code: "PROVIDER_UNREACHABLE",
      outcome: "unknown",
      reason: "http_response_incomplete",
      callerGone: false,
    }),
  ]);
});
