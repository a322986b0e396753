import { type Quote, quote } from "@insurance-gateway/core/contract";
import { type PensionQuote, pensionQuote } from "../schemas/pension-quote.ts";
import { type PensionQuoteRequest, pensionQuoteRequest } from "../schemas/pension-quote-request.ts";

/**
 * Calculates the costs and the pension of a plan. Source: specification, endpoint 5.
 * @el Προσφορά συνταξιοδοτικού προγράμματος
 */
export const calculatePensionQuote: Quote<{ body: PensionQuoteRequest; response: PensionQuote }> =
  quote({
    provider: "provider-e",
    path: "/life/core/fast-pension-quote",
    body: pensionQuoteRequest,
    response: { 200: pensionQuote },
  });
