import type { Deployment } from "../deployment/deployment.ts";
import type { Operation, Parameter } from "../document/open-api.ts";

/** Stands where the reader's own token belongs. */
export const TOKEN_PLACEHOLDER = "YOUR_TOKEN";

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
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, key: string) =>
    // A quote could end the text that a snippet has it in.
    encodeURIComponent(String(params[key] ?? "")).replaceAll("'", "%27"),
  );
  return {
    method,
    url: address + filled,
    params,
    query: valuesIn("query"),
    body: operation.requestBody?.content["application/json"]?.examples?.[name]?.value,
  };
}
