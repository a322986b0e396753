import type { Endpoint, Schema } from "@insurance-gateway/core/contract";
import {
  encodeQuery,
  inputChecker,
  type ParameterForms,
  parameterForms,
  type RawInput,
} from "@insurance-gateway/core/runtime";
import { declarationOf } from "../src/declarations.ts";
import { readDocument } from "../src/document/read-document.ts";
import { isObject, type JsonObject, membersOf } from "../src/document/references.ts";
import { importProvider } from "../src/import-provider.ts";
import { parametersOf } from "../src/operations/parameters.ts";
import { createSchemaOf } from "../src/schemas/zod-of.ts";
import { type Agreement, hasLarge, operationAt, schemasOf, tally } from "./agreement.ts";
import { type CompileSchema, judgeOf } from "./judge.ts";
import { mutated, randomFrom, valuesOf } from "./values.ts";

const parts = ["params", "query", "headers"] as const;
type Part = (typeof parts)[number];
const locations: Readonly<Record<Part, readonly string[]>> = {
  params: ["path"],
  query: ["query"],
  headers: ["header", "cookie"],
};

/** A parameter of the document under the name that callers send. */
interface Parameter {
  readonly required: boolean;
  readonly schema: unknown;
  readonly fits: (value: unknown) => boolean;
}
type Parameters = ReadonlyMap<string, Parameter>;
/** The texts of one part of a request by name. A name has several texts if it is sent several times. */
type Texts = ReadonlyMap<string, readonly string[]>;

/** The number of generated values for each part of an operation, and the number of changed copies of these values. */
const VALUES_PER_PART = 4;
const MUTATED = 12;

/**
 * Compares the parameters that an imported package accepts with the parameters that the document accepts, in paths,
 * queries and headers. Both judge the sent texts. The document accepts a text if one of the values that the text can
 * mean is valid.
 * @returns separate counts for parameters with and without 64-bit numbers
 */
export function parameterAgreementOf(from: string): Readonly<Record<"plain" | "large", Agreement>> {
  const { document } = readDocument(from);
  const { endpoints } = importProvider({ provider: "provider-x", from, all: true });
  const components = schemasOf(document);
  const schemaOf = createSchemaOf();
  const random = randomFrom(20_261_124);
  const make = valuesOf(components, random);
  const judge = judgeOf(components, "request");
  const tallies = { plain: tally(), large: tally() };
  for (const one of endpoints) {
    const declared = declarationOf(one, "provider-x", schemaOf);
    const item = operationAt(document, one.pointer.slice(0, one.pointer.lastIndexOf("/")));
    const found = parametersOf(
      document,
      { pointer: "", value: item },
      { pointer: one.pointer, value: operationAt(document, one.pointer) },
    ).map(({ value }) => value);
    for (const part of parts) {
      const parameters = parametersIn(found, part, judge);
      if (parameters.size === 0) continue;
      const ours = acceptedBy(declared, part);
      const large = [...parameters.values()].some(({ schema }) => hasLarge(components, schema));
      for (const value of valuesFor(parameters)) {
        const sent = textsOf(value, part, declared[part]);
        if (sent === null) continue;
        const forms = declared[part] === undefined ? {} : parameterForms(declared[part]);
        const [mine, theirs] = [ours(sent), accepts(parameters, sent, part, forms)];
        tallies[large ? "large" : "plain"].add(
          mine,
          theirs,
          () =>
            `${one.operation} ${part} ${JSON.stringify([...sent])}: declared ${mine}, document ${theirs}`,
        );
      }
    }
  }
  return { plain: tallies.plain.result(), large: tallies.large.result() };

  function valuesFor(parameters: Parameters): readonly unknown[] {
    const made = Array.from({ length: VALUES_PER_PART }, () =>
      Object.fromEntries(
        [...parameters]
          .filter(([, { required }]) => required || random() < 0.6)
          .map(([name, { schema }]) => [name, make(schema)]),
      ),
    );
    const changed = Array.from({ length: MUTATED }, (_, index) => {
      let value: unknown = made[index % VALUES_PER_PART];
      for (let count = 0; count <= index % 3; count += 1) value = mutated(value, random);
      return value;
    });
    return [...made, ...changed];
  }
}

function parametersIn(found: readonly JsonObject[], part: Part, judge: CompileSchema): Parameters {
  return new Map(
    found
      .filter(({ in: location }) => locations[part].includes(String(location)))
      .map((parameter): [string, Parameter] => {
        const [content] = membersOf(parameter.content);
        const schema = (isObject(content?.[1]) ? content[1] : parameter).schema ?? {};
        return [
          publicName(parameter),
          {
            required: part === "params" || parameter.required === true,
            schema,
            fits: judge(schema),
          },
        ];
      })
      // OpenAPI ignores these three headers: other members of the document describe them.
      .filter(
        ([name]) =>
          part !== "headers" || !["accept", "content-type", "authorization"].includes(name),
      ),
  );
}

function publicName({ in: location, name }: JsonObject): string {
  if (location === "query") return String(name);
  if (location === "header") return String(name).toLowerCase();
  const plain = String(name).replaceAll(/[^A-Za-z0-9_-]+/g, "-");
  return location === "path" ? plain : `cookie-${plain.toLowerCase()}`;
}

/** Returns a function that reports whether a package accepts the texts of one part, read as a gateway reads them. */
function acceptedBy(declared: Endpoint, part: Part): (sent: Texts) => boolean {
  const { body: _body, headers: _headers, params: _params, query: _query, ...rest } = declared;
  const schema = declared[part];
  const checker = inputChecker({ ...rest, ...(schema === undefined ? {} : { [part]: schema }) });
  return (sent) => checker(rawInput(part, sent)).valid;
}

function rawInput(part: Part, sent: Texts): RawInput {
  const pairs = [...sent].flatMap(([name, texts]) =>
    texts.map((text): [string, string] => [name, text]),
  );
  const single = Object.fromEntries(pairs);
  return {
    params: part === "params" ? single : {},
    search: part === "query" ? new URLSearchParams(pairs).toString() : "",
    headers: part === "headers" ? single : {},
    body: undefined,
  };
}

/** Returns the texts that callers send for a value; null if no request can have the value. */
function textsOf(value: unknown, part: Part, declared: Schema<unknown> | undefined): Texts | null {
  if (!isObject(value)) return null;
  const given = Object.entries(value);
  if (!given.every(([, one]) => isWritable(one, part === "query" ? 2 : 1))) return null;
  const pairs =
    part === "query"
      ? [...new URLSearchParams(encodeQuery(value, declared))]
      : given.map(([name, one]): [string, string] => [name, String(one)]);
  const texts = new Map<string, string[]>();
  for (const [name, text] of pairs) texts.set(name, [...(texts.get(name) ?? []), text]);
  const all = [...texts.values()].flat();
  // An empty segment makes another path, and headers cannot contain other characters (RFC 9110, section 5.5).
  if (part === "params" && all.some((text) => text === "")) return null;
  if (part === "headers" && !all.every((text) => /^[\x20-\x7e]*$/.test(text))) return null;
  // The path template decides which parameters exist.
  return part === "params" && declared !== undefined && !isWhole(texts, parameterForms(declared))
    ? null
    : texts;
}

function isWhole(texts: Texts, forms: ParameterForms): boolean {
  return [...texts.keys()].toSorted().join() === Object.keys(forms).toSorted().join();
}

/** Reports whether a request can contain the value: a scalar, or a non-empty list or object of scalars. */
function isWritable(value: unknown, depth: number): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((item) => typeof item !== "object");
  if (typeof value !== "object") return true;
  const inner = Object.values(value ?? {});
  return depth > 1 && inner.length > 0 && inner.every((item) => typeof item !== "object");
}

/** Reports whether the document accepts the texts of a part. */
function accepts(parameters: Parameters, sent: Texts, part: Part, forms: ParameterForms): boolean {
  const values = readingsOf(sent, forms);
  const isMissing = [...parameters].some(([name, { required }]) => required && !values.has(name));
  if (isMissing) return false;
  return [...values].every(([name, readings]) => {
    const parameter = parameters.get(name);
    // Requests also have headers that the document does not declare.
    return parameter === undefined
      ? part === "headers"
      : readings.some((reading) => parameter.fits(reading));
  });
}

/** Returns all values as which the texts of each parameter can be read. */
function readingsOf(sent: Texts, forms: ParameterForms): ReadonlyMap<string, readonly unknown[]> {
  const readings = new Map<string, readonly unknown[]>();
  const objects = new Map<string, Record<string, string>>();
  for (const [name, texts] of sent) {
    const [, outer = "", inner = ""] = /^(.+)\[([^[\]]+)\]$/.exec(name) ?? [];
    if (forms[outer]?.style === "object" && forms[name] === undefined) {
      objects.set(outer, { ...objects.get(outer), [inner]: texts.join() });
      continue;
    }
    const [text = "", ...others] = texts;
    const items = forms[name]?.style === "joined" ? text.split(",") : texts;
    const single = others.length === 0 ? readers.map((read) => read(text)) : [];
    readings.set(name, [...single, ...readers.map((read) => items.map(read))]);
  }
  for (const [name, fields] of objects) {
    const entries = Object.entries(fields);
    readings.set(
      name,
      readers.map((read) =>
        Object.fromEntries(entries.map(([field, text]) => [field, read(text)])),
      ),
    );
  }
  return readings;
}

/** The possible readings of a text: as text, as number, as boolean, or as the type that the text looks like. */
const readers: readonly ((text: string) => unknown)[] = [
  (text) => text,
  numberIn,
  booleanIn,
  (text) => (booleanIn(text) === text ? numberIn(text) : booleanIn(text)),
];

function numberIn(text: string): unknown {
  return text !== "" && String(Number(text)) === text ? Number(text) : text;
}

function booleanIn(text: string): unknown {
  return text === "true" || text === "false" ? text === "true" : text;
}
