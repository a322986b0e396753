import { type EndpointKind, kindPolicies, type Method } from "@insurance-gateway/core/runtime";

/** The refusal to write a requested endpoint. The message describes how to change the request. */
export class Refusal extends Error {}

/** The kinds that can be declared from only a method, a path and an exchange. */
export type WritableKind = Exclude<EndpointKind, "search" | "document">;

/** The endpoint to write. */
export interface Operation {
  readonly provider: string;
  readonly method: Method;
  /** The path after the provider's segment, with parameters in braces. */
  readonly path: string;
  /** The names of the path parameters. */
  readonly params: readonly string[];
  readonly kind: WritableKind;
  /** The name of the exported constant: `listModels`. */
  readonly name: string;
  /** The name of the endpoint's files: `list-models`. */
  readonly stem: string;
  /** The prefix of the endpoint's type names: `ListModels`. */
  readonly typeName: string;
}

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Reads the requested endpoint.
 * @param call - a method and a path, such as `GET /auto/models`
 * @throws Refusal if the text is not a call, or if endpoints of the kind cannot have the method
 */
export function operationOf(
  provider: string,
  call: string,
  options: { readonly kind?: string; readonly name?: string },
): Operation {
  const [, given = "", path = ""] = /^\s*([A-Za-z]+)\s+(\/\S*)\s*$/.exec(call) ?? [];
  const method = methods.find((each) => each === given.toUpperCase());
  if (method === undefined || !/^(?:\/(?:[\w.~:-]|\{[A-Za-z][\w-]*\})+)+$/.test(path))
    throw new Refusal(
      `"${call}" is not a call of an endpoint. Write the method and the path, with parameters in braces and without a query: "GET /policies/{policyId}"`,
    );
  const params = [...path.matchAll(/\{([^}]+)\}/g)].map(([, param = ""]) => param);
  const kind = kindOf(method, options.kind);
  const name = options.name ?? nameOf(kind, method, path);
  // A name must have at least two words, so that it cannot be a reserved word.
  if (!/^[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+$/.test(name))
    throw new Refusal(
      `"${name}" cannot be an endpoint's name. Use a verb and what it is about: --name listModels`,
    );
  const stem = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
  return { provider, method, path, params, kind, name, stem, typeName: pascalCase(name) };
}

function kindOf(method: Method, given: string | undefined): WritableKind {
  const kind = given ?? (method === "GET" ? "read" : "submission");
  if (kind === "search" || kind === "document")
    throw new Refusal(
      `A ${kind} is declared by hand, because its ${kind === "search" ? "paging" : "files"} cannot be inferred: docs/adding-an-endpoint.md`,
    );
  if (!isWritable(kind))
    throw new Refusal(`There is no kind ${kind}; there are lookup, read, quote and submission.`);
  if (!kindPolicies[kind].methods.includes(method))
    throw new Refusal(`A ${kind} is ${kindPolicies[kind].methods.join(" or ")}, not ${method}.`);
  return kind;
}

function isWritable(kind: string): kind is WritableKind {
  return ["lookup", "read", "quote", "submission"].includes(kind);
}

const verbs: Readonly<Record<Method, string>> = {
  GET: "get",
  POST: "create",
  PUT: "replace",
  PATCH: "update",
  DELETE: "delete",
};

/**
 * Derives a name: `GET /auto/models/{modelId}` → `getAutoModelsByModelId`; only a parameter at the end is part of the
 * name.
 */
function nameOf(kind: WritableKind, method: Method, path: string): string {
  const verb = { lookup: "list", quote: "calculate", read: "get", submission: verbs[method] }[kind];
  const named = path
    .replaceAll(/\/\{[^}]+\}(?=\/)/g, "")
    .replaceAll(/\{([^}]+)\}/g, (_, param: string) => `-By-${param}`);
  return verb + pascalCase(named);
}

/** Converts a name to Pascal case: `policy_number` → `PolicyNumber`. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}
