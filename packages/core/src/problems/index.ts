export {
  beforeTheRecord,
  type CodeFacts,
  type ProblemCall,
  type ProblemCode,
  problemCodes,
} from "./codes.ts";
export { type Advice, advicesOf, type RareMeaning, rareMeanings } from "./outcomes.ts";
