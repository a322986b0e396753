import type { EndpointKind } from "@insurance-gateway/core/runtime";
import type { OpenApiDocument, Verification } from "../document/open-api.ts";
import { operationsOf } from "../document/provider-document.ts";
import { fieldsOf } from "./fields.ts";

/** The endpoints of all providers, and the fields that they share. */
export interface Catalogue {
  readonly providers: readonly CatalogueProvider[];
  /** The fields that at least two providers have, most common first. */
  readonly sharedFields: readonly SharedField[];
}

/** A provider and its endpoints. */
export interface CatalogueProvider {
  /** The provider's path segment. */
  readonly segment: string;
  readonly name: string;
  readonly lines: readonly string[];
  /** The version of the provider's package; null if the package has no endpoints. */
  readonly version: string | null;
  /** The endpoints, ordered by path. */
  readonly endpoints: readonly CatalogueEndpoint[];
}

/** A declared endpoint and its verification at the insurer. */
export interface CatalogueEndpoint {
  readonly name: string;
  readonly method: string;
  /** The path with the provider's segment. */
  readonly path: string;
  readonly kind: EndpointKind;
  readonly summary: string;
  /** The record of a call at the insurer; null if the endpoint was never called there. */
  readonly verified: Verification | null;
}

/** A field that several providers have under the same name. */
export interface SharedField {
  /** The path of names: `holder.afm`; `[]` stands for the items of a list. */
  readonly name: string;
  /** The types: `string`, `integer`, `string (date)`; several if the providers differ. */
  readonly types: readonly string[];
  readonly uses: readonly FieldUse[];
}

/** The use of a shared field by one provider. */
export interface FieldUse {
  /** The provider's path segment. */
  readonly segment: string;
  /**
   * "required" if a request must have the field, "optional" if a request may have the field; null if no request has
   * the field.
   */
  readonly request: "required" | "optional" | null;
  /** True if an answer can have the field. */
  readonly inAnswers: boolean;
}

/** A provider as input of the catalogue. */
export interface CatalogueSource {
  readonly segment: string;
  readonly name: string;
  readonly lines: readonly string[];
  /** The complete OpenAPI document of the package; null if the package has no endpoints. */
  readonly document: OpenApiDocument | null;
}

/** Collects the catalogue from the documents of the providers. */
export function catalogueOf(sources: readonly CatalogueSource[]): Catalogue {
  return {
    providers: sources.map(({ document, lines, name, segment }) => ({
      segment,
      name,
      lines,
      version: document?.info.version ?? null,
      endpoints: document === null ? [] : endpointsOf(document, segment),
    })),
    sharedFields: sharedFieldsOf(sources),
  };
}

function endpointsOf(document: OpenApiDocument, segment: string): readonly CatalogueEndpoint[] {
  const own = `/${document.info["x-provider"].id}`;
  return operationsOf(document)
    .map(({ method, operation, path }) => ({
      name: operation.operationId,
      method,
      path: `/${segment}${path.slice(own.length)}`,
      kind: operation["x-kind"],
      summary: operation.summary,
      verified: operation["x-verified"] ?? null,
    }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

interface Collected {
  readonly name: string;
  readonly types: Set<string>;
  readonly uses: Map<string, FieldUse>;
}

function sharedFieldsOf(sources: readonly CatalogueSource[]): readonly SharedField[] {
  const collected = new Map<string, Collected>();
  for (const { document, segment } of sources) {
    if (document === null) continue;
    for (const { isRequired, name, part, type } of fieldsOf(document)) {
      const key = spelling(name);
      const field = collected.get(key) ?? { name, types: new Set(), uses: new Map() };
      collected.set(key, field);
      field.types.add(type);
      const before = field.uses.get(segment) ?? { segment, request: null, inAnswers: false };
      field.uses.set(
        segment,
        part === "answer"
          ? { ...before, inAnswers: true }
          : { ...before, request: isRequired ? "required" : (before.request ?? "optional") },
      );
    }
  }
  return [...collected.values()]
    .filter(({ uses }) => uses.size > 1)
    .map(({ name, types, uses }) => ({
      name,
      types: [...types].toSorted(),
      uses: [...uses.values()],
    }))
    .toSorted(
      (one, other) => other.uses.length - one.uses.length || (one.name < other.name ? -1 : 1),
    );
}

/** Returns the words of a name without naming style, so that `plate_number` and `plateNumber` count as one field. */
function spelling(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}
