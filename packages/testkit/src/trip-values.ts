import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  answersOf,
  bodyOf,
  encodeHeaders,
  hasNumberedPages,
  headerTextFaults,
  isEmptyAnswer,
  isFilePart,
  isJson,
  pagingOf,
} from "@insurance-gateway/core/runtime";
import type { ValueStyle } from "./leaf-values.ts";
import type { RunCache } from "./run.ts";
import { fittingValuesOf } from "./values.ts";

/** Number of round trips for each endpoint. Every field and alternative has another value in each round trip. */
const TRIPS: Readonly<Record<ValueStyle, number>> = { any: 10, plain: 4 };

/** The parts of a request, as a caller gives them. */
export type Input = Partial<Record<"params" | "query" | "headers" | "body", unknown>> & {
  /** The declared media type in which the body is sent. */
  readonly mediaType?: string;
};

/** An answer as the insurer writes it. */
export interface InsurerAnswer {
  readonly status: number;
  /** The content of the answer; undefined without a body. */
  readonly content: string | Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The values of an endpoint's written examples, for values that cannot be generated. */
export interface KnownValues {
  readonly requests: readonly Input[];
  readonly responses: readonly unknown[];
}

/** The options for generated values. */
export interface Choice {
  readonly run: RunCache;
  /** Reports whether a text can be sent. */
  readonly isUsable?: (text: string) => boolean;
  readonly manner?: ValueStyle;
}

/** Generates valid requests, with and without an optional body. */
export function inputsOf(
  endpoint: Endpoint,
  { requests }: KnownValues,
  faults: Set<string>,
  choice: Choice,
): readonly Input[] {
  const { isUsable: isChosen = isAnything, manner = "any", run } = choice;
  const { headers, params, query } = endpoint;
  const parts = [
    ["params", params, isInPath],
    ["query", query, isAnything],
    ["headers", headers, isInHeader],
  ] as const;
  const made = parts.flatMap(([part, schema, isUsable]) => {
    if (schema === undefined) return [];
    const values = fittingValuesOf(schema, TRIPS[manner], {
      known: requests,
      isUsable: (text) => isUsable(text) && isChosen(text),
      manner,
      memo: run.leaves,
    });
    if (values.length === 0)
      faults.add(`no valid value could be generated for \`${part}\`: add an example`);
    return [[part, values] as const];
  });
  const bodies = bodiesOf(endpoint, requests, faults, choice);
  const inputs = Array.from(
    { length: made.length + bodies.length === 0 ? 1 : Math.max(TRIPS[manner], bodies.length) },
    (_, trip): Input => ({
      ...Object.fromEntries(
        made.map(([part, values]) => [part, values[trip % Math.max(1, values.length)]]),
      ),
      ...bodies[trip % Math.max(1, bodies.length)],
    }),
  );
  const { body: _, mediaType: __, ...withoutBody } = inputs[0] ?? {};
  const all = bodyOf(endpoint)?.required === false ? [...inputs, withoutBody] : inputs;
  return distinct(all);
}

/** Generates valid bodies, for each declared media type. */
function bodiesOf(
  endpoint: Endpoint,
  requests: KnownValues["requests"],
  faults: Set<string>,
  { isUsable = isAnything, manner = "any", run }: Choice,
): readonly Pick<Input, "body" | "mediaType">[] {
  const { media = {}, required = true } = bodyOf(endpoint) ?? {};
  return Object.entries(media).flatMap(([mediaType, schema]) => {
    const making = { known: requests, isUsable, manner, memo: run.leaves };
    const fitting = fittingValuesOf(schema, TRIPS[manner], making);
    // An empty body and a missing body are the same on the wire.
    const values = required
      ? fitting
      : fitting.filter((value) => !isWithoutBytes(mediaType, value));
    if (values.length === 0)
      faults.add(`no valid value could be generated for \`body\`, ${mediaType}: add an example`);
    // A whole body of bytes has the media type of the body, and no place for a file name.
    return values.map((value) => ({
      body: isFilePart(value) ? { mediaType, content: value.content } : value,
      mediaType,
    }));
  });
}

/** Reports whether the body that represents this value has no bytes. */
function isWithoutBytes(mediaType: string, value: unknown): boolean {
  if (isFilePart(value)) return value.content instanceof Uint8Array && value.content.length === 0;
  return value === "" && !isJson(mediaType);
}

function isAnything(): boolean {
  return true;
}

/** Reports whether the gateway allows a text in a path: it must not lead to another path. */
function isInPath(text: string): boolean {
  return text !== "" && !/[/\\%]|^\.\.?$/.test(text);
}

function isInHeader(text: string): boolean {
  return headerTextFaults("", text).length === 0;
}

/** Generates valid answers for every declared status. */
export function answersWith(
  endpoint: Endpoint,
  { responses }: KnownValues,
  faults: Set<string>,
  { isUsable: isChosen = isAnything, manner = "any", run }: Choice,
): readonly InsurerAnswer[] {
  if (endpoint.files !== undefined) {
    const [{ mediaType, signature = "" }] = endpoint.files;
    return [{ status: 200, content: signature, headers: { "content-type": mediaType } }];
  }
  // The gateway never passes on an address as a cursor.
  const isCursor = endpoint.kind === "search" && !hasNumberedPages(pagingOf(endpoint));
  const isUsable = (text: string): boolean => isChosen(text) && !(isCursor && text.includes("://"));
  const making = { known: responses, isUsable, manner, memo: run.leaves };
  const inHeaders = { ...making, isUsable: isInHeader };
  return answersOf(endpoint).flatMap(([status, answer]): readonly InsurerAnswer[] => {
    const made = answer.headers && fittingValuesOf(answer.headers, 1, inHeaders)[0];
    const headers = encodeHeaders({ ...Object(made) });
    if (isEmptyAnswer(answer)) return [{ status, content: undefined, headers }];
    const types = Object.entries(answer.media);
    const [mediaType, schema] = types.find(([type]) => isJson(type)) ?? types[0] ?? [];
    const values = schema === undefined ? [] : fittingValuesOf(schema, TRIPS[manner], making);
    if (values.length === 0)
      faults.add(`no valid value could be generated for the answer ${status}: add an example`);
    return distinct(values).map((value) => ({
      status,
      content: contentOf(mediaType, value),
      headers: { ...headers, "content-type": mediaType ?? "application/json" },
    }));
  });
}

/** Writes a value in the format of a media type. */
function contentOf(mediaType: string | undefined, value: unknown): string | Uint8Array {
  if (mediaType === undefined || isJson(mediaType)) return JSON.stringify(value);
  return isFilePart(value) && value.content instanceof Uint8Array ? value.content : String(value);
}

function distinct<Value>(values: readonly Value[]): readonly Value[] {
  const byText = new Map(
    values.map((value) => [JSON.stringify(value), value] as const).toReversed(),
  );
  return [...byText.values()].toReversed();
}
