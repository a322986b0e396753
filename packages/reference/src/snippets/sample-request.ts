import type { Deployment } from "../deployment/deployment.ts";
import type { MediaType, Operation, Parameter, RequestBodyObject } from "../document/open-api.ts";

/** The placeholder for the reader's token. */
export const TOKEN_PLACEHOLDER = "YOUR_TOKEN";

/** The placeholder for the reader's own key of the submission, such as the number of the case. */
export const KEY_PLACEHOLDER = "YOUR_KEY";

/** An operation with its method and path. */
export interface PlacedOperation {
  readonly method: string;
  /** The path with the provider's real segment and with parameters in braces. */
  readonly path: string;
  readonly operation: Operation;
}

/** An example of an operation as the input for snippets in every language. */
export interface SampleRequest {
  readonly method: string;
  /** The full address without its query. */
  readonly url: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The query parameters; a list or an object has several. */
  readonly queryTexts: readonly (readonly [name: string, text: string])[];
  /** The headers that the endpoint declares. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The value of the body; undefined if there is no body, or if the body is a file. */
  readonly body: unknown;
  /** The media type of the body, the first that the operation accepts; null without a body. */
  readonly mediaType: string | null;
  /** The file fields of a form, each with a media type. */
  readonly files: Readonly<Record<string, string>>;
  /** True if the call can change something at the insurer and therefore needs an idempotency key. */
  readonly acts: boolean;
  /** True if the answer is a file. */
  readonly file: boolean;
}

/**
 * Returns the complete URL of a request. All characters that could end a string in any of the languages are encoded.
 */
export function addressOf({ queryTexts, url }: Pick<SampleRequest, "queryTexts" | "url">): string {
  const pairs = queryTexts.map(([name, text]) => `${encoded(name)}=${encoded(text)}`);
  return pairs.length === 0 ? url : `${url}?${pairs.join("&")}`;
}

/** Percent-encodes a value (RFC 3986, section 2.1), including quotation marks and brackets. */
function encoded(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Writes the values of a query parameter in the parameter's style. */
function textsOf(
  { explode = true, name }: Parameter,
  value: unknown,
): readonly (readonly [name: string, text: string])[] {
  if (Array.isArray(value))
    return explode ? value.map((item) => [name, String(item)] as const) : [[name, value.join(",")]];
  if (typeof value === "object" && value !== null)
    return Object.entries(value).map(([field, text]) => [`${name}[${field}]`, String(text)]);
  return [[name, String(value)]];
}

/** Returns the names of an operation's examples; a single name if the operation has no parameters and no body. */
export function exampleNames({ parameters = [], requestBody }: Operation): readonly string[] {
  const named = [
    ...Object.keys(firstMedia(requestBody)?.media.examples ?? {}),
    ...parameters.flatMap(({ examples = {} }) => Object.keys(examples)),
  ];
  return named.length === 0 ? ["example"] : [...new Set(named)];
}

/** Returns the first media type of a body. This project's client sends the same media type. */
export function firstMedia(
  body: RequestBodyObject | undefined,
): { readonly mediaType: string; readonly media: MediaType } | undefined {
  const [first] = Object.entries(body?.content ?? {});
  return first && { mediaType: first[0], media: first[1] };
}

/** Returns the values of one example. */
export function sampleRequest(
  { method, operation, path }: PlacedOperation,
  { address }: Pick<Deployment, "address">,
  name: string = exampleNames(operation)[0] ?? "",
): SampleRequest {
  const valuesIn = (place: Parameter["in"]): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      (operation.parameters ?? [])
        .filter((parameter) => parameter.in === place)
        .flatMap((parameter) => {
          const example = parameter.examples?.[name];
          return example === undefined ? [] : [[parameter.name, example.value]];
        }),
    );
  const params = valuesIn("path");
  const query = valuesIn("query");
  const filled = path.replaceAll(/\{([^}]+)\}/g, (whole, key: string) =>
    params[key] === undefined ? whole : encoded(String(params[key])),
  );
  const body = firstMedia(operation.requestBody);
  const files = Object.entries(body?.media.encoding ?? {});
  return {
    method,
    url: address + filled,
    params,
    query,
    queryTexts: (operation.parameters ?? []).flatMap((parameter) =>
      parameter.in === "query" && query[parameter.name] !== undefined
        ? textsOf(parameter, query[parameter.name])
        : [],
    ),
    headers: valuesIn("header"),
    body: body?.media.examples?.[name]?.value,
    mediaType: body?.mediaType ?? null,
    files: Object.fromEntries(
      files.map(([field, { contentType }]) => [field, contentType.split(", ")[0] ?? contentType]),
    ),
    acts: operation["x-acts-at-insurer"],
    file: operation["x-kind"] === "document",
  };
}
