export {
  beforeTheRecord,
  type CodeFacts,
  type ProblemCall,
  problemCodes,
} from "./codes.ts";
export { type Advice, advicesOf, type RareMeaning, rareMeanings } from "./outcomes.ts";
export type { ProblemCode } from "./problem-code.ts";
