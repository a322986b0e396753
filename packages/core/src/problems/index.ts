export { type CodeFacts, type ProblemCode, problemCodes } from "./codes.ts";
