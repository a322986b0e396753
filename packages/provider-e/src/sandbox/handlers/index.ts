export { calculatePensionQuoteHandler as calculatePensionQuote } from "./calculate-pension-quote.ts";
