export { type CodeFacts, type ProblemCode, problemCodes } from "./codes.ts";
export { type Advice, advicesOf } from "./outcomes.ts";
