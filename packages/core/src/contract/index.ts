export { document, lookup, quote, read, search, submission } from "../kinds/declare.ts";
export { answerOf, type ByStatus, jsonAnswerOf, none } from "./answers.ts";
export type {
  Document,
  Endpoint,
  FileType,
  Lookup,
  MatchField,
  Normaliser,
  Quote,
  Read,
  ReconcileDeclaration,
  Search,
  Submission,
} from "./endpoint.ts";
export type { Example, Examples } from "./examples.ts";
export type { FailureCode, FailureRow } from "./failures.ts";
export { assertValid, type Checked, check, type Fault, type FaultCode } from "./faults.ts";
export { type FileContent, type FilePart, pdf } from "./files.ts";
export { greekPlate } from "./greek-plate.ts";
export { type Page, type PageQuery, type Paging, pageDefaults } from "./page.ts";
export { valueAt } from "./pointer.ts";
export { defineProvider, type LineOfInsurance, type Provider } from "./provider.ts";
export type { OpenEnum, Schema } from "./schema.ts";
