import { createHash } from "node:crypto";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { peakMegabytesOf, residentMegabytesOf } from "../soak/footprint.ts";

const AT_ONCE = 32;
const DOCUMENT_BYTES = 19_900_000;
/**
 * Maximum growth of the gateway's memory. Without a common limit for all answers in memory, the process needs 1,100 MB.
 */
const MOST_GROWTH_MEGABYTES = 400;

const document = pdfOf(DOCUMENT_BYTES);
const digest = digestOf(document);
const message = Buffer.from(
  `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>` +
    `<getApplicationDocumentResponse xmlns="http://ws.provider-c.example/quotation/v2">` +
    `<status>PRINTED</status><pdfSize>${DOCUMENT_BYTES}</pdfSize>` +
    `<pdfContent>${document.toString("base64")}</pdfContent>` +
    "</getApplicationDocumentResponse></S:Body></S:Envelope>",
);

let insurer: Insurer;
let folder: GatewayFolder;
let gateway: GatewayProcess;
let token: string;
beforeAll(async () => {
  insurer = await startInsurer((response) => void response.end());
  const provider = {
    package: "@insurance-gateway/provider-c",
    upstream: { baseUrl: insurer.baseUrl, credentials: { type: "none" } },
  };
  folder = makeGatewayFolder({ providers: [provider] });
  token = await developmentToken(folder.path);
});
afterEach(async () => {
  expect((await gateway.stop()).code).toBe(0);
});
afterAll(async () => {
  await insurer.close();
  folder.remove();
});

function pdfOf(bytes: number): Buffer {
  const [head, end] = ["%PDF-1.7\n", "\n%%EOF\n"];
  // The base64 text of these bytes contains every letter of the base64 alphabet.
  const content = Buffer.alloc(bytes, createHash("sha512").update("content").digest());
  content.write(head);
  content.write(end, bytes - end.length);
  return content;
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url");
}

/** Returns the result of a download: `whole`, or the status and code of a problem with a Retry-After. */
async function download(): Promise<string> {
  const response = await fetch(
    `${gateway.address}/provider-c/application/ipid?applicationId=C-0001`,
    {
      headers: { authorization: `Bearer ${token}` },
    },
  );
  if (response.status !== 200) {
    const { code, retry } = Object(await response.json());
    const isLater = Number(response.headers.get("retry-after")) > 0 && retry === "safe";
    return `${response.status} ${code}${isLater ? "" : ", without a Retry-After"}`;
  }
  const hash = createHash("sha256");
  for await (const chunk of response.body ?? []) hash.update(chunk);
  return hash.digest("base64url") === digest ? "whole" : "another document";
}

describe(`${AT_ONCE} documents of ${DOCUMENT_BYTES} bytes at once, in base64`, () => {
  it.each([
    ["answers with a length", { "content-length": String(message.byteLength) }],
    ["answers without a length", { "transfer-encoding": "chunked" }],
  ])(
    "the gateway's memory stays bounded during simultaneous downloads of large documents: %s",
    async (_, headers) => {
      insurer.behaviour = (response) => {
        response.writeHead(200, { "content-type": "text/xml; charset=utf-8", ...headers });
        response.end(message);
      };
      gateway = await startGatewayProcess(folder.path);
      const pid = Number(gateway.child.pid);
      const atRest = residentMegabytesOf(pid);
      const begun = performance.now();
      const results = await Promise.all(Array.from({ length: AT_ONCE }, download));
      const seconds = (performance.now() - begun) / 1_000;
      const peak = peakMegabytesOf(pid);
      const counts = Object.groupBy(results, (result) => result);
      const found = Object.entries(counts).map(([result, all = []]) => `${all.length} ${result}`);
      process.stdout.write(
        `documents: ${atRest.toFixed(0)} MB at rest, ${peak.toFixed(0)} MB at most, ${found.join(", ")}, ${seconds.toFixed(1)} s\n`,
      );
      expect(Object.keys(counts).toSorted()).toEqual(
        counts["503 OVERLOADED"] === undefined ? ["whole"] : ["503 OVERLOADED", "whole"],
      );
      expect(peak - atRest).toBeLessThan(MOST_GROWTH_MEGABYTES);
      for (let again = 0; again < AT_ONCE / 8; again += 1)
        expect(await download(), "afterwards").toBe("whole");
    },
  );
});
