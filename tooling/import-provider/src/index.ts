export { type ImportedProvider, type ImportRequest, importProvider } from "./import-provider.ts";
export type { ImportedEndpoint } from "./operations/model.ts";
export { ImportFault, type Loss } from "./report.ts";
export { type WrittenImport, writeImport } from "./write-import.ts";
