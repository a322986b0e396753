import type { Deployment } from "../../deployment/deployment.ts";
import { kindsInOrder } from "../../document/kinds-in-words.ts";
import type { OpenApiDocument } from "../../document/open-api.ts";
import { operationsOf } from "../../document/provider-document.ts";
import type { PlacedOperation } from "../../snippets/sample-request.ts";
import type { ScenarioOnPage } from "../source.ts";

/** An OpenAPI document with its pages: the document of a provider or of the gateway itself. */
export interface Documented {
  readonly name: string;
  /** The document with the real segment and address. */
  readonly document: OpenApiDocument;
  readonly deployment: Deployment;
  /** The operations in the order of the page: by kind. */
  readonly operations: readonly PlacedOperation[];
  readonly scenarios: readonly ScenarioOnPage[];
  /** The addresses of the document's pages and files. */
  readonly places: DocumentPlaces;
}

/** The addresses of a document's pages and files; null for a page or file that does not exist. */
export interface DocumentPlaces {
  /** The page that lists the endpoints. */
  readonly home: string;
  readonly endpoint: (operationId: string) => string;
  readonly openApi: string;
  readonly collections: string | null;
  readonly changelog: string | null;
}

/** Returns the operations of a document by kind. */
export function operationsByKind(document: OpenApiDocument): readonly PlacedOperation[] {
  const operations = operationsOf(document);
  return kindsInOrder.flatMap((kind) =>
    operations.filter(({ operation }) => operation["x-kind"] === kind),
  );
}
