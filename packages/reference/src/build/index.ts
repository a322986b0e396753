export { readDeclarations, readProviderPackage } from "./provider-package.ts";
export { writeDocument } from "./write-document.ts";
