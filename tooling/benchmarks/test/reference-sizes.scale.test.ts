import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type GeneratedGateway,
  startGeneratedGateway,
} from "../src/reference/generated-gateway.ts";

const PROVIDERS = 23;
const ENDPOINTS = 1_484;
const BYTES_PER_KB = 1_000;

/** The table of docs/reference.md: an address, in which words in capitals are any segment, and the most bytes of its body. */
const limits: readonly Limit[] = limitsIn(
  readFileSync(new URL("../../../docs/reference.md", import.meta.url), "utf8"),
);

interface Limit {
  readonly address: string;
  readonly pattern: RegExp;
  readonly bytes: number;
}

let gateway: GeneratedGateway;
beforeAll(async () => {
  gateway = await startGeneratedGateway(PROVIDERS, ENDPOINTS);
});
afterAll(() => gateway?.stop());

it("every page of the reference stays within its limit at 1,484 endpoints", async () => {
  const sizes = await crawl("/reference");
  const most = new Map<string, number>();
  const unlimited: string[] = [];
  for (const [path, size] of sizes) {
    const limit = limits.find(({ pattern }) => pattern.test(path));
    if (limit === undefined) unlimited.push(path);
    else most.set(limit.address, Math.max(size, most.get(limit.address) ?? 0));
  }
  const tooLarge = limits.filter(({ address, bytes }) => (most.get(address) ?? 0) > bytes);

  expect(unlimited).toEqual([]);
  expect(tooLarge.map(({ address }) => `${address}: ${most.get(address)} bytes`)).toEqual([]);
  // Each line of the table is about a page that there is.
  expect([...most.keys()].toSorted()).toEqual(limits.map(({ address }) => address).toSorted());
  const texts = [...sizes.keys()].filter((path) => path.endsWith(".md"));
  expect(texts).toHaveLength(ENDPOINTS);
});

function limitsIn(document: string): readonly Limit[] {
  const [, table = ""] = /<!-- sizes:begin -->([\s\S]*)<!-- sizes:end -->/.exec(document) ?? [];
  const rows = table.matchAll(/^\| `(\/reference[^`]*)` \| ([\d,]+) kB \|$/gm);
  return [...rows].map(([, address = "", kilobytes = ""]) => ({
    address,
    pattern: new RegExp(`^${address.replaceAll(".", "\\.").replaceAll(/[A-Z]+/g, "[^/]+")}$`),
    bytes: Number(kilobytes.replaceAll(",", "")) * BYTES_PER_KB,
  }));
}

/** The bytes of every page that a reader or an agent reaches from one page, without compression. */
async function crawl(first: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  // A set gives what is added while it is read.
  const paths = new Set([first]);
  for (const path of paths) {
    const answer = await fetch(gateway.process.address + path, {
      headers: { "accept-encoding": "identity" },
    });
    // A button asks for a token here; it is no page.
    if (answer.status === 405) continue;
    expect(`${path} ${answer.status}`).toBe(`${path} 200`);
    const body = Buffer.from(await answer.arrayBuffer());
    sizes.set(path, body.byteLength);
    for (const link of linksIn(answer.headers.get("content-type") ?? "", body.toString()))
      paths.add(link);
  }
  return sizes;
}

/** The paths of the reference that a page links to or loads. */
function linksIn(mediaType: string, text: string): readonly string[] {
  const found = mediaType.startsWith("text/html")
    ? text.matchAll(/(?:href|src|data-[a-z-]+)="(\/reference[^"#?]*)/g)
    : mediaType.startsWith("text/plain")
      ? text.matchAll(/\((?:http:\/\/[^/)]+)?(\/reference[^)#?]*)\)/g)
      : [];
  return [...found].map(([, path = ""]) => path);
}
