import type { Deployment } from "../deployment/deployment.ts";
import type { MediaType, Operation, Parameter, RequestBodyObject } from "../document/open-api.ts";

/** Stands where the reader's own token belongs. */
export const TOKEN_PLACEHOLDER = "YOUR_TOKEN";

/** The placeholder of the reader's own key for the submission, such as the number of the case. */
export const KEY_PLACEHOLDER = "YOUR_KEY";

/** An operation with where it is. */
export interface PlacedOperation {
  readonly method: string;
  /** The path with the provider's real segment, parameters in braces. */
  readonly path: string;
  readonly operation: Operation;
}

/** One example of an operation as a client's values: what snippets in every language are made of. */
export interface SampleRequest {
  readonly method: string;
  /** The full address without its query. */
  readonly url: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The query as it is written: a list or an object takes several. */
  readonly queryTexts: readonly (readonly [name: string, text: string])[];
  /** The headers that the endpoint declares. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined where the operation takes none, and where it is a file. */
  readonly body: unknown;
  /** The media type of the body, the first that the operation accepts; null if it accepts none. */
  readonly mediaType: string | null;
  /** The fields of a form that are files, with a media type of each. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether it can change something at the insurer, and so needs a key. */
  readonly acts: boolean;
  /** Whether it answers with a file. */
  readonly file: boolean;
}

/** The whole address of a request. Everything is encoded that could end a text of some language, too. */
export function addressOf({ queryTexts, url }: Pick<SampleRequest, "queryTexts" | "url">): string {
  const pairs = queryTexts.map(([name, text]) => `${encoded(name)}=${encoded(text)}`);
  return pairs.length === 0 ? url : `${url}?${pairs.join("&")}`;
}

/** Percent-encodes a value (RFC 3986, section 2.1), quotation marks and brackets included. */
function encoded(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Writes a query parameter by its style. */
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

/** The names of an operation's examples; one name where it has nothing to fill in. */
export function exampleNames({ parameters = [], requestBody }: Operation): readonly string[] {
  const named = [
    ...Object.keys(firstMedia(requestBody)?.media.examples ?? {}),
    ...parameters.flatMap(({ examples = {} }) => Object.keys(examples)),
  ];
  return named.length === 0 ? ["example"] : [...new Set(named)];
}

/** The first media type of a body, which our client sends, too. */
export function firstMedia(
  body: RequestBodyObject | undefined,
): { readonly mediaType: string; readonly media: MediaType } | undefined {
  const [first] = Object.entries(body?.content ?? {});
  return first && { mediaType: first[0], media: first[1] };
}

/** The values of one example. */
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
