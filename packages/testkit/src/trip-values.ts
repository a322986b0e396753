import {
  answersOf,
  bodyOf,
  type Endpoint,
  encodeHeaders,
  headerTextFaults,
  isCounted,
  isEmptyAnswer,
  isFilePart,
  isJson,
  pagingOf,
} from "@insurance-gateway/core/contract";
import type { Manner } from "./leaf-values.ts";
import { fittingValues } from "./values.ts";

/** So many requests and answers of each endpoint are sent. */
const TRIPS = 20;

/** The parts of a request, as a caller gives them. */
export type Input = Partial<Record<"params" | "query" | "headers" | "body", unknown>> & {
  /** The declared type in which the body is sent. */
  readonly mediaType?: string;
};

/** An answer as the insurer writes it. */
export interface InsurerAnswer {
  readonly status: number;
  /** Undefined for one without a body. */
  readonly text: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What somebody wrote down of an endpoint: values that cannot be made are taken from it. */
export interface KnownValues {
  readonly requests: readonly Input[];
  readonly responses: readonly unknown[];
}

/** Which texts and values are made. */
export interface Choice {
  /** Refuses texts that cannot be sent. */
  readonly isUsable?: (text: string) => boolean;
  readonly manner?: Manner;
}

/** Requests that fit; of a body that may be left out, also without. */
export function inputsOf(
  endpoint: Endpoint,
  { requests }: KnownValues,
  faults: Set<string>,
  choice: Choice = {},
): readonly Input[] {
  const { isUsable: isChosen = isAnything, manner } = choice;
  const { headers, params, query } = endpoint;
  const parts = [
    ["params", params, isInPath],
    ["query", query, isAnything],
    ["headers", headers, isInHeader],
  ] as const;
  const made = parts.flatMap(([part, schema, isUsable]) => {
    if (schema === undefined) return [];
    const values = fittingValues(
      schema,
      TRIPS,
      requests,
      (text) => isUsable(text) && isChosen(text),
      manner,
    );
    if (values.length === 0)
      faults.add(`no value could be made that fits \`${part}\`: give it an example`);
    return [[part, values] as const];
  });
  const bodies = bodiesOf(endpoint, requests, faults, choice);
  const inputs = Array.from(
    { length: made.length + bodies.length === 0 ? 1 : Math.max(TRIPS, bodies.length) },
    (_, trip): Input => ({
      ...Object.fromEntries(
        made.map(([part, values]) => [part, values[trip % Math.max(1, values.length)]]),
      ),
      ...bodies[trip % Math.max(1, bodies.length)],
    }),
  );
  const { body: _, mediaType: __, ...withoutBody } = inputs[0] ?? {};
  return bodyOf(endpoint)?.required === false ? [...inputs, withoutBody] : inputs;
}

/** Bodies that fit, in each declared type. */
function bodiesOf(
  endpoint: Endpoint,
  requests: KnownValues["requests"],
  faults: Set<string>,
  { isUsable, manner }: Choice,
): readonly Pick<Input, "body" | "mediaType">[] {
  return Object.entries(bodyOf(endpoint)?.media ?? {}).flatMap(([mediaType, schema]) => {
    const values = fittingValues(schema, TRIPS, requests, isUsable, manner);
    if (values.length === 0)
      faults.add(`no value could be made that fits \`body\`, ${mediaType}: give it an example`);
    // A whole body of bytes is a file of the body's own type, and has no place for its name.
    return values.map((value) => ({
      body: isFilePart(value) ? { mediaType, content: value.content } : value,
      mediaType,
    }));
  });
}

function isAnything(): boolean {
  return true;
}

/** What the gateway lets stand in a path: nothing that leads to another one. */
function isInPath(text: string): boolean {
  return text !== "" && !/[/\\%]|^\.\.?$/.test(text);
}

function isInHeader(text: string): boolean {
  return headerTextFaults("", text).length === 0;
}

/** Answers of every status that fit. */
export function answersWith(
  endpoint: Endpoint,
  { responses }: KnownValues,
  faults: Set<string>,
  { isUsable: isChosen = isAnything, manner }: Choice = {},
): readonly InsurerAnswer[] {
  if (endpoint.files !== undefined) {
    const [{ mediaType, signature = "" }] = endpoint.files;
    return [{ status: 200, text: signature, headers: { "content-type": mediaType } }];
  }
  // A cursor that is an address is passed on to nobody.
  const isCursor = endpoint.kind === "search" && !isCounted(pagingOf(endpoint));
  const isUsable = (text: string): boolean => isChosen(text) && !(isCursor && text.includes("://"));
  return answersOf(endpoint).flatMap(([status, answer]): readonly InsurerAnswer[] => {
    const made = answer.headers && fittingValues(answer.headers, 1, responses, isInHeader)[0];
    const headers = encodeHeaders({ ...Object(made) });
    if (isEmptyAnswer(answer)) return [{ status, text: undefined, headers }];
    const types = Object.entries(answer.media);
    const [mediaType, schema] = types.find(([type]) => isJson(type)) ?? types[0] ?? [];
    const values =
      schema === undefined ? [] : fittingValues(schema, TRIPS, responses, isUsable, manner);
    if (values.length === 0)
      faults.add(`no value could be made that fits the answer ${status}: give it an example`);
    return values.map((value) => ({
      status,
      text: mediaType === undefined || isJson(mediaType) ? JSON.stringify(value) : String(value),
      headers: { ...headers, "content-type": mediaType ?? "application/json" },
    }));
  });
}
