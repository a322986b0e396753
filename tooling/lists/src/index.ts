export { type DeclaredEndpoint, exportedNames, readEndpoint } from "./declarations.ts";
export { readPackage, writeChanged } from "./folder.ts";
export { type Files, listsOf } from "./lists.ts";
