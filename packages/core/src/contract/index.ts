export {
  type AnswerDeclaration,
  type AnswerMedia,
  type AnswersByStatus,
  answerMediaOf,
  answerOf,
  answersOf,
  type ByStatus,
  isEmptyAnswer,
  jsonAnswerOf,
  none,
} from "./answers.ts";
export {
  type BodyDeclaration,
  type BodyFormat,
  type BodyMedia,
  bodyFormatOf,
  bodyMediaOf,
  bodyOf,
  hasFiles,
  isJson,
  jsonBodyOf,
  MOST_BODY_BYTES,
  type RequestBody,
} from "./body.ts";
export { comparedEchoes, compareEchoes, type EchoComparison } from "./echoes.ts";
export {
  type ClosedDeclaration,
  type Document,
  document,
  type Endpoint,
  type EndpointTypes,
  type FileType,
  type Idempotency,
  type IdentifierScope,
  type InsurerIdDeclaration,
  type KeyPlace,
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
export { answerHeaderFault, headerNameFault, isMediaType } from "./endpoint-faults.ts";
export type { Example, Examples } from "./examples.ts";
export {
  type FailureCode,
  type FailureOutcome,
  type FailureRow,
  failureCodes,
  failureRowOf,
  type InsurerFailure,
  isHtml,
} from "./failures.ts";
export {
  assertValid,
  type Checked,
  check,
  escapePointer,
  type Fault,
  type FaultCode,
} from "./faults.ts";
export {
  type FileContent,
  type FilePart,
  isFilePart,
  isReceivedFile,
  sizeOf,
} from "./file-part.ts";
export { answerTypes, fileNameOf, fileTypeOf, pdf } from "./files.ts";
export {
  decodeForm,
  encodeForm,
  type FormEntry,
  type FormField,
  type FormFields,
  formFieldsOf,
} from "./form.ts";
export { greekPlate } from "./greek-plate.ts";
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
  identifierOf,
  identifierSeries,
  isClosed,
  type MatchValues,
  matchPointer,
  matchValues,
  sameContentOf,
  withNormalForms,
} from "./match.ts";
export { isRuleName, namedRules, type RuleName } from "./named-rules.ts";
export { nearestNames } from "./nearest-names.ts";
export { nfc } from "./nfc.ts";
export type { OpenEnum } from "./open-enum.ts";
export {
  type AnswerPlace,
  type Page,
  type PageQuery,
  type PageSize,
  type Paging,
  pageDefaults,
  usualPaging,
} from "./page.ts";
export {
  askingFor,
  countIn,
  firstPosition,
  headersOfPaging,
  isCounted,
  isInBody,
  isPositionOf,
  NEXT_CURSOR_HEADER,
  type PageAnswer,
  type PageRequest,
  type Position,
  pageAsked,
  pageIn,
  pagingOf,
  positionAfter,
  withoutPage,
  withParameter,
} from "./paging.ts";
export { pageParameterInWords, pagingInWords } from "./paging-in-words.ts";
export {
  fillPath,
  isOtherPath,
  namedParameters,
  pathParameters,
  pathSegments,
  percentDecoded,
  reservedSegments,
  routerPattern,
} from "./path.ts";
export { isPlainText } from "./plain-text.ts";
export { isPointer, pointerNames, valueAt, withValueAt } from "./pointer.ts";
export {
  contractVersion,
  defineProvider,
  isProvider,
  type LineOfInsurance,
  type Provider,
} from "./provider.ts";
export { providerFaults, rowFaults } from "./provider-faults.ts";
export {
  decodeHeaders,
  encodeHeaders,
  encodeQuery,
  type HeaderTexts,
  headerTextFaults,
  type ParameterForm,
  type ParameterForms,
  parameterForms,
  parameterNames,
  type QueryText,
  type QueryValues,
  queryTexts,
  searchOf,
} from "./query.ts";
export { parameterOrigins, reconciliationInput, reconciliationValues } from "./reconciliation.ts";
export { isOneRoute } from "./routes.ts";
export type { Schema } from "./schema.ts";
