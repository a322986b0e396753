export { calculatePensionQuote } from "./calculate-pension-quote.ts";
