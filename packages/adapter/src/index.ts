export { type WrittenBody, writeBody } from "@insurance-gateway/core/transport";
export {
  type AcceptedCredential,
  type AcceptedCredentials,
  credentialsFault,
} from "./accepted-credentials.ts";
export {
  type Adapter,
  type AdapterAnswer,
  type AdapterContext,
  type AnswerForm,
  type DecodedBody,
  type FieldBeside,
  type InsurerRequest,
  type InsurerResponse,
  type LoginAnswer,
  limitedSend,
  PageRequestsError,
  REQUESTS_PER_PAGE,
  type Send,
} from "./adapter.ts";
export type {
  AnswerMapping,
  CallSource,
  DocumentMapping,
  FaultMapping,
  PageMapping,
  Polling,
} from "./answer-mapping.ts";
export { type Charset, type CharsetWriter, charsetWriter } from "./charset.ts";
export {
  amountText,
  type Codec,
  codes,
  decimalNumber,
  decimalText,
  flag,
  nullable,
  optional,
  plainText,
  type UnknownCodes,
  wholeNumber,
} from "./codecs.ts";
export { declared } from "./declared.ts";
export { marksSuccess, type PublishedEnvelope } from "./envelope.ts";
export { endpointsOf, joinedAdapter } from "./joined-adapter.ts";
export { type ParsedJson, parseJson } from "./json.ts";
export { type JsonDialect, type JsonLogin, jsonDialect } from "./json-dialect.ts";
export type { JsonCall, JsonEnvelope, JsonReferenceQuery, JsonRequest } from "./json-request.ts";
export {
  type FieldRow,
  type GroupRow,
  type ListRow,
  type Mapped,
  type Mapping,
  type MappingForm,
  type MappingRow,
  readMapped,
  writeMapped,
} from "./mapping.ts";
export {
  type PublishedCall,
  type PublishedCalls,
  type PublishedDialect,
  type PublishedParameter,
  publishedDialect,
} from "./published-dialect.ts";
export { type TextWithDocuments, textWithDocuments } from "./text-with-documents.ts";
export { type AmbiguousTimes, dateText, instantText, localTimeText } from "./time-codecs.ts";
