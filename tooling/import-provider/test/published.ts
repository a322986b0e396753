/** For tests and benchmarks of other packages. */
export { divided } from "./divided.ts";
export { octokitDocument, type PublishedDocument } from "./octokit-document.ts";
