export { calculatePensionQuoteExamples as calculatePensionQuote } from "./calculate-pension-quote.ts";
