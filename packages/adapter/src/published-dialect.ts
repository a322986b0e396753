import type { Endpoint, FailureRow, Provider, Schema } from "@insurance-gateway/core/contract";
import {
  bodyOf,
  type CheckedInput,
  encodeHeaders,
  fillPath,
  isJson,
  pagingOf,
  pathParameters,
  type QueryText,
  queryTexts,
} from "@insurance-gateway/core/runtime";
import type { AcceptedCredentials } from "./accepted-credentials.ts";
import type { Adapter, AdapterContext } from "./adapter.ts";
import { declaredRequestOf, type RequestParts, readDeclaredAnswer } from "./declared.ts";
import { createSpeaks, endpointFinder, UnsendableError, unsendableAnswer } from "./dialect.ts";
import { type DigitsCodec, digitsCodec } from "./digits.ts";
import { marksSuccess, type PublishedEnvelope } from "./envelope.ts";
import { ambiguousParameter } from "./joined-segments.ts";

/** The differences between an insurer's operation and the endpoint. An omitted property means no difference. */
export interface PublishedCall {
  /** The insurer's path template. A parameter that the declared path does not have is filled with a setting. */
  readonly path?: string;
  /** The insurer's query parameters, by the declared names. */
  readonly query?: Readonly<Record<string, PublishedParameter>>;
  /** The insurer's names of headers in lower case, by the declared names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The insurer's names of cookies, by the declared names of headers. The values are percent-encoded. */
  readonly cookies?: Readonly<Record<string, string>>;
  /** The names of the settings that fill parameters which callers do not send, by the insurer's parameter names. */
  readonly settings?: {
    /** A path parameter that is omitted here is filled with the setting of the same name. */
    readonly path?: Readonly<Record<string, string>>;
    /** A query parameter whose setting has no value is not sent. */
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    /** The values of these cookies are percent-encoded. */
    readonly cookies?: Readonly<Record<string, string>>;
  };
  /** Parameters with fixed values. */
  readonly constants?: {
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** The success statuses whose answers have the dialect's envelope, or false for no status. Default: all of them. */
  readonly envelope?: false | readonly number[];
}

/** The insurer's form of one query parameter. */
export interface PublishedParameter {
  /** The insurer's name of the parameter. Default: the declared name. */
  readonly name?: string;
  /**
   * `pipes` and `spaces`: the items of a list in one text (OpenAPI's `pipeDelimited` and `spaceDelimited` without
   * `explode`). `fields`: each field of an object as a separate parameter (`form` with `explode`). `json`: a JSON text.
   */
  readonly style?: "pipes" | "spaces" | "fields" | "json";
}

/** The differences between the insurer's operations and the declared endpoints, by the endpoints' names. */
export type PublishedCalls<P extends Provider<object>> = {
  readonly [Name in keyof P["endpoints"]]?: PublishedCall;
};

/** The description of a dialect whose declarations were imported from the insurer's own OpenAPI document. */
export interface PublishedDialect<P extends Provider<object>> {
  readonly calls?: PublishedCalls<P>;
  /** The meanings of the insurer's error answers. The `failures` of endpoint and provider take precedence. */
  readonly failures?: readonly FailureRow[];
  /** The field that marks an answer as a success, if the status alone does not. */
  readonly envelope?: PublishedEnvelope;
  /** The credentials that the insurer accepts, as in `Adapter`. */
  readonly credentials?: AcceptedCredentials;
}

/**
 * Creates the adapter of an insurer whose declarations were imported from its own OpenAPI document. Fields that are
 * declared as `digits` are JSON numbers at the insurer, without a loss of digits.
 */
export function publishedDialect<P extends Provider<object>>(
  provider: P,
  { calls = {}, credentials, envelope, failures = [] }: PublishedDialect<P> = {},
): Adapter {
  const callOf = differenceFinder(provider, calls);
  const codecOf = cachedCodecs();
  return {
    name: provider.id,
    failures,
    speaks: createSpeaks(provider),
    ...(credentials === undefined ? {} : { credentials }),
    async call(endpoint, input, send, context) {
      const call = callOf(endpoint);
      let parts: RequestParts;
      try {
        parts = requestPartsOf(endpoint, call, input, context, codecOf);
      } catch (error) {
        return unsendableAnswer(error);
      }
      const response = await send(declaredRequestOf(endpoint, input, parts, context.submissionId));
      const { position } = pagingOf(endpoint);
      return await readDeclaredAnswer(endpoint, input, response, context, {
        readerOf: (schema) => codecOf(schema)?.read,
        asked: { query: parts.query, position: call.query?.[position]?.name ?? position },
        ...(envelope === undefined || !hasEnvelope(call, response.status)
          ? {}
          : { isError: (value) => !marksSuccess(envelope, value) }),
      });
    },
  };
}

function hasEnvelope({ envelope }: PublishedCall, status: number): boolean {
  return envelope !== false && envelope?.includes(status) !== false;
}

/** Creates a function that returns the differences of an endpoint; they are empty if nothing differs. */
export function differenceFinder(
  provider: Provider<object>,
  calls: Readonly<Record<string, PublishedCall | undefined>>,
): (endpoint: Endpoint) => PublishedCall {
  return endpointFinder(provider, (name) => calls[name] ?? {});
}

/** Returns the codec for the 64-bit numbers of a schema, or null if the schema has no 64-bit numbers. */
export type FindDigitsCodec = (schema: Schema<unknown>) => DigitsCodec | null;

/** Creates a function that returns the codec of a schema, and creates each codec only when it is first needed. */
export function cachedCodecs(): FindDigitsCodec {
  const known = new Map<Schema<unknown>, DigitsCodec | null>();
  return (schema) => {
    const found = known.get(schema);
    if (found !== undefined) return found;
    const made = digitsCodec(schema);
    known.set(schema, made);
    return made;
  };
}

function requestPartsOf(
  endpoint: Endpoint,
  call: PublishedCall,
  input: CheckedInput,
  { settings }: Pick<AdapterContext, "settings">,
  codecOf: FindDigitsCodec,
): RequestParts {
  const { constants, path = endpoint.path } = call;
  const { body, mediaType = "application/json" } = input;
  const schema = isJson(mediaType) ? bodyOf(endpoint)?.media[mediaType] : undefined;
  const params = { ...settingPathValues(path, call, settings), ...input.params };
  const joined = ambiguousParameter(path, params);
  if (joined !== undefined)
    throw new UnsendableError(
      joined in input.params
        ? `/params/${joined}`
        : `/settings/${call.settings?.path?.[joined] ?? joined}`,
      "must not have the characters that separate values at the insurer",
    );
  return {
    path: fillPath(path, params),
    query: [
      ...queryTextsOf(endpoint, call, input.query, codecOf),
      ...Object.entries(settingTexts(call.settings?.query, settings)),
      ...Object.entries(constants?.query ?? {}),
    ],
    headers: {
      ...requestHeadersOf(call, input.headers, settingTexts(call.settings?.cookies, settings)),
      ...settingTexts(call.settings?.headers, settings),
      ...constants?.headers,
    },
    body: withJsonNumbers(schema, body, codecOf),
  };
}

/** Converts the 64-bit numbers of a value, so that `JSON.stringify` writes them as JSON numbers. */
function withJsonNumbers(
  schema: Schema<unknown> | undefined,
  value: unknown,
  codecOf: FindDigitsCodec,
): unknown {
  const codec = schema === undefined || value === undefined ? null : codecOf(schema);
  return codec === null ? value : codec.write(value);
}

/** Returns an object's own member and no inherited member, because an insurer may name a parameter `constructor`. */
function ownMember<Value>(
  members: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function settingPathValues(
  path: string,
  call: PublishedCall,
  settings: AdapterContext["settings"],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pathParameters(path).map((name) => [
      name,
      ownMember(settings, ownMember(call.settings?.path ?? {}, name) ?? name),
    ]),
  );
}

/** Returns the values of settings as texts, by the insurer's names of parameters. */
function settingTexts(
  names: Readonly<Record<string, string>> = {},
  settings: AdapterContext["settings"],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, setting]) => {
      const value = ownMember(settings, setting);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

function queryTextsOf(
  { query: declared }: Endpoint,
  { query: parameters = {} }: PublishedCall,
  values: CheckedInput["query"],
  codecOf: FindDigitsCodec,
): readonly QueryText[] {
  return Object.entries(values).flatMap(([name, value]): readonly QueryText[] => {
    if (value === undefined) return [];
    const { name: theirs = name, style } = ownMember(parameters, name) ?? {};
    switch (style) {
      case "pipes":
        return [[theirs, joinItems(name, value, "|")]];
      case "spaces":
        return [[theirs, joinItems(name, value, " ")]];
      case "fields":
        return Object.entries(Object(value)).map(([field, text]) => [field, String(text)]);
      case "json":
        return [
          [
            theirs,
            JSON.stringify(Object(withJsonNumbers(declared, { [name]: value }, codecOf))[name]),
          ],
        ];
      default:
        return queryTexts({ [name]: value }, declared).map(([own, text]) => [
          theirs + own.slice(name.length),
          text,
        ]);
    }
  });
}

/** Joins the items of a list in one text. Refuses an item that contains the separator. */
function joinItems(name: string, value: unknown, separator: string): string {
  const items = [value].flat().map(String);
  if (items.some((item) => item.includes(separator)))
    throw new UnsendableError(
      `/query/${name}`,
      "must not have an item with the character that separates items at the insurer",
    );
  return items.join(separator);
}

function requestHeadersOf(
  { cookies = {}, headers = {} }: PublishedCall,
  values: CheckedInput["headers"],
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const texts = Object.entries(encodeHeaders(values));
  const named = texts.flatMap(([name, text]) => {
    const cookie = ownMember(cookies, name);
    return cookie === undefined ? [] : [[cookie, text] as const];
  });
  const cookie = [...named, ...Object.entries(settings)].map(
    ([name, text]) => `${name}=${encodeURIComponent(text)}`,
  );
  const others = texts.filter(([name]) => !Object.hasOwn(cookies, name));
  return {
    ...Object.fromEntries(others.map(([name, text]) => [ownMember(headers, name) ?? name, text])),
    ...(cookie.length === 0 ? {} : { cookie: cookie.join("; ") }),
  };
}
