/** The exports that tests and benchmarks of other packages use. */
export {
  type ApplicationCheck,
  checkApplication,
} from "./calling-application.ts";
export { divideDocument } from "./divided.ts";
export {
  type ImportedDocument,
  type ImportedPackage,
  type ImportedPackages,
  importedPackages,
} from "./imported-packages.ts";
export { octokitDocument, type PublishedDocument } from "./octokit-document.ts";
