/**
 * Functions with which the gateway, the command line and the tools read declarations. They are not a stable interface
 * (VERSIONING.md): a minor version of core may change them. Provider packages use `./contract`.
 */
export { kindCode, kindsWithCode } from "./client/kind-code.ts";
export {
  type AnswerDeclaration,
  type AnswerMedia,
  type AnswersByStatus,
  answerMediaOf,
  answersOf,
  isEmptyAnswer,
} from "./contract/answers.ts";
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
} from "./contract/body.ts";
export { comparedEchoes, compareEchoes, type EchoComparison } from "./contract/echoes.ts";
export type {
  ClosedDeclaration,
  EndpointTypes,
  Idempotency,
  IdentifierScope,
  InsurerIdDeclaration,
  KeyPlace,
  NormalisedField,
  OutcomeDeclaration,
  SameContent,
  SearchTypes,
} from "./contract/endpoint.ts";
export { answerHeaderFault, headerNameFault, isMediaType } from "./contract/endpoint-faults.ts";
export {
  type FailureOutcome,
  failureCodes,
  failureRowOf,
  type InsurerFailure,
  isHtml,
} from "./contract/failures.ts";
export { escapePointer } from "./contract/faults.ts";
export {
  answerTypes,
  beginsAsHtml,
  fileNameOf,
  fileTypeOf,
  HTML_HEAD_BYTES,
  isFilePart,
  isReceivedFile,
  sizeOf,
} from "./contract/files.ts";
export {
  decodeForm,
  encodeForm,
  type FormEntry,
  type FormField,
  type FormFields,
  formFieldsOf,
} from "./contract/form.ts";
export type { InputOf, ResponseOf, TypesOf } from "./contract/input.ts";
export {
  type CheckedInput,
  type InputChecker,
  inputChecker,
  type RawInput,
} from "./contract/input-checker.ts";
export { type EndpointKind, type KindPolicy, kindPolicies, type Method } from "./contract/kinds.ts";
export {
  createsAtInsurer,
  identifierOf,
  identifierSeries,
  isClosed,
  type MatchValues,
  matchPointer,
  matchValues,
  nfc,
  sameContentOf,
  withNormalForms,
} from "./contract/match.ts";
export { isRuleName, namedRules, type RuleName } from "./contract/named-rules.ts";
export { nearestNames } from "./contract/nearest-names.ts";
export { type AnswerPlace, type PageSize, usualPaging } from "./contract/page.ts";
export {
  countIn,
  firstPosition,
  hasNumberedPages,
  headersOfPaging,
  isInBody,
  isRequestedPosition,
  NEXT_CURSOR_HEADER,
  type PageAnswer,
  type PageRequest,
  type Position,
  pagingOf,
  parsePage,
  positionAfter,
  requestedPage,
  withoutPage,
  withPageParameters,
  withParameter,
} from "./contract/paging.ts";
export { pageParameterInWords, pagingInWords } from "./contract/paging-in-words.ts";
export {
  type ParameterForm,
  type ParameterForms,
  parameterForms,
  parameterNames,
} from "./contract/parameter-forms.ts";
export {
  fillPath,
  isOtherPath,
  namedParameters,
  pathParameters,
  pathSegments,
  percentDecoded,
  reservedSegments,
  routerPattern,
} from "./contract/path.ts";
export { isPlainText } from "./contract/plain-text.ts";
export { isPointer, pointerNames, withValueAt } from "./contract/pointer.ts";
export { contractVersion, isProvider } from "./contract/provider.ts";
export { providerFaults, rowFaults } from "./contract/provider-faults.ts";
export {
  decodeHeaders,
  encodeHeaders,
  encodeQuery,
  type HeaderTexts,
  headerTextFaults,
  type QueryText,
  type QueryValues,
  queryTexts,
  searchOf,
} from "./contract/query.ts";
export {
  parameterOrigins,
  reconciliationInput,
  reconciliationValues,
} from "./contract/reconciliation.ts";
export { areAmbiguous, type FoundRoute, type PlacedRoute } from "./contract/routes.ts";
export * from "./own/index.ts";
export * from "./rules/index.ts";
