export { isFastPattern, type PatternCost, patternCost } from "./pattern-cost.ts";
export { patternFaults } from "./pattern-faults.ts";
