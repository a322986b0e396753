import { answerMediaOf, answerOf, check, type Endpoint } from "@insurance-gateway/core/contract";
import { listBrands } from "@insurance-gateway/provider-a";
import { listCountries } from "@insurance-gateway/provider-b";
import { listVehicleUsages } from "@insurance-gateway/provider-c";
// @boundaries-ignore how an answer is checked is the gateway's own and no package exports it
import { compileSchema } from "../../../apps/gateway/src/validation/validate.ts";
import { readNumbers } from "./command-line.ts";
import { markdownTable } from "./markdown-table.ts";
import { percentile } from "./percentile.ts";

const { rounds } = readNumbers(
  `npm run bench:long-answers -- [OPTION]...

Measures how long one long answer holds the event loop: to parse it, and to check it against the declaration.`,
  { rounds: { about: "times that each answer is parsed and checked", byDefault: 50 } },
);

/** 2 MB is what `answers.jsonBytes` allows by default. */
const SIZES_KB = [29, 100, 500, 2_000];

const LISTS: readonly { readonly endpoint: Endpoint; readonly item: (at: number) => object }[] = [
  { endpoint: listBrands, item: (at) => ({ code: `B${at}`, name: `Brand ${at}` }) },
  {
    endpoint: listCountries,
    item: (at) => ({
      code: "AF",
      alpha3: "AFG",
      name: `Afghanistan ${at}`,
      nameEl: "Αφγανιστάν",
      zone: "WORLDWIDE",
      schengen: false,
    }),
  },
  {
    endpoint: listVehicleUsages,
    item: (at) => ({
      code: String(at),
      name: "Private car",
      nameEl: "Επιβατηγό ιδιωτικής χρήσης (ΕΙΧ)",
      category: "PRIVATE",
    }),
  },
];

const rows = LISTS.flatMap(({ endpoint, item }) =>
  SIZES_KB.map((size) => measure(endpoint, listOf(item, size * 1_000), size)),
);
process.stdout.write(`${rounds} answers each:\n\n${markdownTable(rows)}\n`);

function measure(endpoint: Endpoint, text: string, size: number): Record<string, string | number> {
  const declared = answerOf(endpoint, 200);
  const media = declared && answerMediaOf(declared, "application/json");
  if (media === undefined) throw new TypeError(`${endpoint.path} does not answer with JSON`);
  const schema = compileSchema(media.schema);
  const parsing: number[] = [];
  const checking: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    const value: unknown = JSON.parse(text);
    const parsed = performance.now();
    if (!check(schema, value).valid) throw new TypeError(`${endpoint.path} refuses its list`);
    checking.push(performance.now() - parsed);
    parsing.push(parsed - begun);
  }
  return {
    list: endpoint.path,
    kB: size,
    "parse, median ms": inHundredths(percentile(parsing, 0.5)),
    "check, median ms": inHundredths(percentile(checking, 0.5)),
    "check, p90 ms": inHundredths(percentile(checking, 0.9)),
  };
}

function listOf(item: (at: number) => object, bytes: number): string {
  const items: object[] = [];
  for (let at = 0, written = 0; written < bytes; at++) {
    const next = item(at);
    items.push(next);
    written += Buffer.byteLength(JSON.stringify(next)) + 1;
  }
  return JSON.stringify({ items });
}

function inHundredths(milliseconds: number): string {
  return milliseconds.toFixed(2);
}
