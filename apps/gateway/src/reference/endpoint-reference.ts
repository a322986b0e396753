import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";
import { bodyMediaOf, pageParameterInWords } from "@insurance-gateway/core/runtime";
import type { InstalledProvider } from "../configuration/providers.ts";

/** A field of an endpoint's request. */
export interface ReferenceField {
  /** The part of the request that contains the field. */
  readonly place: "path" | "query" | "header" | "body";
  /**
   * The names that lead to the field in this part of the request, such as `holder`, `afm`; empty for the whole body.
   */
  readonly keys: readonly string[];
}

/** The texts about one endpoint in the provider's OpenAPI document. */
export interface EndpointReference {
  /** The endpoint's summary in one line. */
  readonly summary: string | null;
  /** Returns the description of a field. */
  describe(field: ReferenceField): string | null;
  /** Returns an example value of a field; undefined if the document has no example. */
  exampleOf(field: ReferenceField): unknown;
}

/**
 * Reads the OpenAPI document of a provider's package.
 * @returns null if the package has no document, which calls do not need
 */
export function readReference({ folder }: Pick<InstalledProvider, "folder">): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, "dist/reference/openapi.json"), "utf8"));
  } catch {
    return null;
  }
}

/** Returns the description of an endpoint from its provider's document. */
export function referenceOf(document: unknown, endpoint: Endpoint): EndpointReference {
  const { method, path, provider } = endpoint;
  const route = `/${provider}${path}`.replaceAll("/", "~1");
  const operation = valueAt(document, `/paths/${route}/${method.toLowerCase()}`);
  const media = bodyMediaOf(endpoint, ["json", "form", "multipart"])?.mediaType ?? "";
  const content = valueAt(operation, `/requestBody/content/${media.replaceAll("/", "~1")}`);
  const parameter = ({ keys, place }: ReferenceField): unknown =>
    listAt(operation, "/parameters").find(
      (one) => valueAt(one, "/in") === place && valueAt(one, "/name") === keys[0],
    );
  return {
    summary: textAt(operation, "/summary"),
    describe: (field) =>
      field.place === "body"
        ? textAt(schemaAt(document, valueAt(content, "/schema"), field.keys), "/description")
        : (textAt(parameter(field), "/description") ??
          pageParameterInWords(endpoint, field.keys[0] ?? "")),
    exampleOf: (field) =>
      field.place === "body"
        ? field.keys.reduce<unknown>(propertyOf, firstExample(content))
        : firstExample(parameter(field)),
  };
}

/** Returns the schema of a nested property. Follows `$ref`. */
function schemaAt(document: unknown, schema: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((outer, key) => {
    const reference = textAt(outer, "/$ref");
    const target = reference === null ? outer : valueAt(document, reference.slice(1));
    return propertyOf(valueAt(target, "/properties"), key);
  }, schema);
}

function firstExample(holder: unknown): unknown {
  const [first] = Object.values(Object(valueAt(holder, "/examples")));
  return valueAt(first, "/value");
}

function propertyOf(value: unknown, key: string): unknown {
  // Properties that every object inherits, such as `toString`, are not part of the document.
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function textAt(value: unknown, pointer: string): string | null {
  const found = valueAt(value, pointer);
  return typeof found === "string" ? found : null;
}

function listAt(value: unknown, pointer: string): readonly unknown[] {
  const found = valueAt(value, pointer);
  return Array.isArray(found) ? found : [];
}
