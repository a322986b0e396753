export { beforeTheRecord } from "./before-the-record.ts";
export { type CodeFacts, type ProblemCode, problemCodes } from "./codes.ts";
export { type Advice, advicesOf } from "./outcomes.ts";
