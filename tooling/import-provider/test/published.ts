/** For tests and benchmarks of other packages. */
export {
  type ApplicationCheck,
  type CalledPackage,
  checkApplication,
} from "./calling-application.ts";
export { divided } from "./divided.ts";
export { octokitDocument, type PublishedDocument } from "./octokit-document.ts";
