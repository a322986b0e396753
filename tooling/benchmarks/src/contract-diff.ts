import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readNumbers } from "./command-line.ts";
import { markdownTable } from "./markdown-table.ts";
import { medianOf } from "./statistics.ts";

/**
 * `npm run bench:contract-diff`: how long the command `contract-diff` takes for two versions of a contract with 1,484
 * endpoints: starting, reading both, comparing and printing.
 */

const asked = readNumbers(
  `npm run bench:contract-diff -- [OPTION]...

Measures how long the command contract-diff takes for two versions of a contract with 1,484 endpoints,
with a warm compile cache: a run that is not measured fills it.`,
  {
    rounds: { about: "runs of each comparison", byDefault: 7 },
  },
);

/** Of the seven endpoints that providers A to E have in this repository. */
const COPIES = 212;

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Members = Readonly<Record<string, Json>>;

interface Document {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, Members>>;
  readonly components: { readonly schemas: Members };
}

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const program = join(repository, "tooling/contract-diff/bin/contract-diff.js");
/** Prints the processor time of a process at its end: of all its threads, then of its main thread, in milliseconds. */
const probe = `process.on("exit", () => {
  const times = [process.cpuUsage(), process.threadCpuUsage()];
  process.stderr.write(times.map(({ system, user }) => (system + user) / 1000).join(" "));
});`;

const before = manyEndpoints();
const works: Readonly<Record<string, Document>> = {
  "nothing changed": before,
  "one schema changed": withSchemas(before, (name, schema) =>
    name === "Copy7DApplication" ? withField(schema) : schema,
  ),
  "everything changed: each operation, object and string": withOperations(
    withSchemas(before, (_name, schema) => everywhere(schema)),
  ),
};

const folder = mkdtempSync(join(tmpdir(), "bench-contract-diff-"));
try {
  mkdirSync(join(folder, "packages/provider-x"), { recursive: true });
  const earlier = join(folder, "before.json");
  writeFileSync(earlier, textOf(before));
  const rows = Object.entries(works).map(([work, after]) => {
    writeFileSync(join(folder, "packages/provider-x/openapi.json"), textOf(after));
    const changes: unknown = JSON.parse(run(earlier, "--json").output);
    const runs = Array.from({ length: asked.rounds }, () => run(earlier));
    const medianMs = (figure: (one: Run) => number): number =>
      Math.round(medianOf(runs.map(figure)).median);
    return {
      work,
      changes: Array.isArray(changes) ? changes.length : 0,
      "processor time, ms": medianMs(({ processorMs }) => processorMs),
      "of the main thread, ms": medianMs(({ mainThreadMs }) => mainThreadMs),
      "by the clock, ms": medianMs(({ clockMs }) => clockMs),
    };
  });
  process.stdout.write(
    `1,484 endpoints, medians of ${asked.rounds} runs of the whole command with a warm compile cache; `,
  );
  process.stdout.write(`load average ${loadavg()[0]?.toFixed(1)}:\n\n${markdownTable(rows)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

interface Run {
  readonly output: string;
  readonly clockMs: number;
  readonly processorMs: number;
  readonly mainThreadMs: number;
}

function run(earlier: string, ...further: readonly string[]): Run {
  const probed = ["--no-warnings", "--import", `data:text/javascript,${encodeURIComponent(probe)}`];
  const parameters = [...probed, program, "provider-x", "--against", earlier, ...further];
  const begun = performance.now();
  const { status, stderr, stdout } = spawnSync(process.execPath, parameters, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1_000_000_000,
  });
  const clockMs = performance.now() - begun;
  if (status !== 0) throw new Error(`contract-diff ended with ${status}: ${stderr}`);
  const [processorMs = Number.NaN, mainThreadMs = Number.NaN] = stderr.split(" ").map(Number);
  return { output: stdout, clockMs, processorMs, mainThreadMs };
}

/** Joins copies of the committed contracts, each with paths and named schemas of its own. */
function manyEndpoints(): Document {
  const all = Array.from({ length: COPIES }, (_, copy) =>
    ["a", "b", "c", "d", "e"].map((letter) => copyOf(letter, copy)),
  ).flat();
  const paths = Object.assign({}, ...all.map((document) => document.paths));
  const schemas = Object.assign({}, ...all.map(({ components }) => components.schemas));
  const provider = { id: "provider-x", package: "@insurance-gateway/provider-x", lines: ["motor"] };
  const info = { title: "Provider X", version: "1.0.0", "x-provider": provider };
  return { openapi: "3.1.1", info, paths, components: { schemas } };
}

function copyOf(letter: string, copy: number): Document {
  const prefix = `Copy${copy}${letter.toUpperCase()}`;
  const file = join(repository, `packages/provider-${letter}/openapi.json`);
  const text = readFileSync(file, "utf8")
    .replaceAll('"#/components/schemas/', `$&${prefix}`)
    .replaceAll(`"/provider-${letter}/`, `"/provider-x/${letter}${copy}/`);
  // What `npm run openapi` writes.
  const document = JSON.parse(text) as Document;
  const schemas = Object.entries(document.components.schemas);
  const renamed = schemas.map(([name, schema]) => [prefix + name, schema] as const);
  return { ...document, components: { schemas: Object.fromEntries(renamed) } };
}

function withSchemas(document: Document, change: (name: string, schema: Json) => Json): Document {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => [name, change(name, schema)] as const,
  );
  return { ...document, components: { schemas: Object.fromEntries(schemas) } };
}

function withOperations(document: Document): Document {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(
      ([method, operation]) => [method, { ...membersOf(operation), summary: "Other" }] as const,
    );
    return [path, Object.fromEntries(operations)] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Gives each string of a schema another length, and each object one more field. */
function everywhere(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(everywhere);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === "examples" ? value : everywhere(value),
    ]),
  );
  if (inner.type === "string") return { ...inner, maxLength: Number(inner.maxLength ?? 100) + 1 };
  return inner.type === "object" ? withField(inner) : inner;
}

function withField(schema: Json): Json {
  const members = membersOf(schema);
  return {
    ...members,
    properties: { ...membersOf(members.properties), added: { type: "string" } },
  };
}

function membersOf(value: Json | undefined): Members {
  // A list is no object in what is asked here.
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

function textOf(document: Document): string {
  return JSON.stringify(document, null, 2);
}
