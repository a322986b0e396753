export type {
  CodeSample,
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Server,
} from "./document/open-api.ts";
export type { NamedExamples } from "./document/operation.ts";
export {
  type DocumentSource,
  operationsOf,
  providerDocument,
} from "./document/provider-document.ts";
export {
  type Documentation,
  type EndpointDocumentation,
  type EndpointPart,
  noDocumentation,
  type PropertyDocumentation,
  type TypeDocumentation,
  type TypeReference,
} from "./documentation/documentation.ts";
