export { catalogueOf } from "./catalogue/catalogue.ts";
export { catalogueText } from "./catalogue/catalogue-text.ts";
export { unpack } from "./collections/archive.ts";
export { postmanEnvironment } from "./collections/postman.ts";
export {
  brunoCollectionOfProviders,
  collectionNames,
  postmanCollectionOfProviders,
} from "./deployment/collections.ts";
export { type Deployment, deployedDocument } from "./deployment/deployment.ts";
export { indexDocument } from "./deployment/index-document.ts";
export { completeDocument, packagedDocument } from "./document/complete-document.ts";
export { hasLimitingFormat } from "./document/json-schema.ts";
export type {
  CodeSample,
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  ProviderDocument,
  ResponseObject,
  Server,
} from "./document/open-api.ts";
export type { NamedExamples } from "./document/operation-examples.ts";
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
  summaryOf,
  type TypeDocumentation,
  type TypeReference,
} from "./documentation/documentation.ts";
export {
  type EndpointProblem,
  type ProblemMeaning,
  problemsOfEndpoint,
} from "./errors/endpoint-problems.ts";
export { type InsurerFacts, type ProblemsOf, problemsOf } from "./errors/possible-problems.ts";
export { gatewayItself } from "./own/own-document.ts";
export { ownProblems } from "./own/own-problems.ts";
export { sitePaths } from "./site/paths.ts";
export { createSite, notFoundOf, type SitePage } from "./site/site.ts";
export type { ProviderOnPage, ScenarioOnPage, SiteSource } from "./site/source.ts";
export {
  exampleNames,
  KEY_PLACEHOLDER,
  sampleRequest,
  TOKEN_PLACEHOLDER,
} from "./snippets/sample-request.ts";
export { snippetsOf } from "./snippets/snippets.ts";
