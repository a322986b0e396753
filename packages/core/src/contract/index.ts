export {
  type ClosedDeclaration,
  type Document,
  type DocumentFile,
  document,
  type Endpoint,
  type EndpointTypes,
  type Idempotency,
  type Lookup,
  lookup,
  type MatchField,
  type NormalisedField,
  type Normaliser,
  type OutcomeDeclaration,
  type Quote,
  quote,
  type Read,
  type ReconcileDeclaration,
  read,
  type SameContent,
  type Search,
  type SearchTypes,
  type Submission,
  search,
  submission,
} from "./endpoint.ts";
export type { Example, Examples } from "./examples.ts";
export { assertValid, type Checked, check, type Fault, type FaultCode } from "./faults.ts";
export type { InputOf, ResponseOf, TypesOf } from "./input.ts";
export {
  type CheckedInput,
  type InputChecker,
  inputChecker,
  type RawInput,
} from "./input-checker.ts";
export { type EndpointKind, type KindPolicy, kindPolicies, type Method } from "./kinds.ts";
export {
  createsAtInsurer,
  isClosed,
  type MatchValues,
  matchPointer,
  matchValues,
  sameContentOf,
} from "./match.ts";
export type { OpenEnum } from "./open-enum.ts";
export { type Page, type PageQuery, pageDefaults } from "./page.ts";
export { fillPath, pathParameters, reservedSegments } from "./path.ts";
export { plainTextRule } from "./plain-text.ts";
export { isPointer, pointerNames, valueAt } from "./pointer.ts";
export {
  contractVersion,
  defineProvider,
  isProvider,
  type LineOfInsurance,
  type Provider,
} from "./provider.ts";
export {
  decodeParameters,
  encodeQuery,
  type ParameterTypes,
  parameterTypes,
  type QueryValues,
} from "./query.ts";
export type { Schema } from "./schema.ts";
