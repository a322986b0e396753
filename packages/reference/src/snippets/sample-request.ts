import type { Deployment } from "../deployment/deployment.ts";
import type { Operation, Parameter } from "../document/open-api.ts";

/** Stands where the reader's own token belongs. */
export const TOKEN_PLACEHOLDER = "YOUR_TOKEN";

/** Stands where a UUID belongs that is made anew for each application. */
export const KEY_PLACEHOLDER = "A_NEW_UUID";

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
  /** Undefined where the operation takes none. */
  readonly body: unknown;
  /** Whether it can change something at the insurer, and so needs a key. */
  readonly acts: boolean;
  /** Whether it answers with a file. */
  readonly file: boolean;
}

/** The whole address of a request. Everything is encoded that could end a text of some language, too. */
export function addressOf({ query, url }: Pick<SampleRequest, "query" | "url">): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encoded(name)}=${encoded(String(value))}`,
  );
  return pairs.length === 0 ? url : `${url}?${pairs.join("&")}`;
}

/** Percent-encodes a value (RFC 3986, section 2.1), quotation marks and brackets included. */
function encoded(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The names of an operation's examples; one name where it has nothing to fill in. */
export function exampleNames({ parameters = [], requestBody }: Operation): readonly string[] {
  const named = [
    ...Object.keys(requestBody?.content["application/json"]?.examples ?? {}),
    ...parameters.flatMap(({ examples = {} }) => Object.keys(examples)),
  ];
  return named.length === 0 ? ["example"] : [...new Set(named)];
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
  const filled = path.replaceAll(/\{([^}]+)\}/g, (whole, key: string) =>
    params[key] === undefined ? whole : encoded(String(params[key])),
  );
  return {
    method,
    url: address + filled,
    params,
    query: valuesIn("query"),
    body: operation.requestBody?.content["application/json"]?.examples?.[name]?.value,
    acts: operation["x-acts-at-insurer"],
    file: operation["x-kind"] === "document",
  };
}
