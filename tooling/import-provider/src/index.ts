export { type ImportedProvider, type ImportRequest, importProvider } from "./import-provider.ts";
export { ImportFault, type Loss } from "./report.ts";
export { type WrittenImport, writeImport } from "./write-import.ts";
