import type { Schema } from "@insurance-gateway/core/contract";
import { amount, count, date, strict } from "@insurance-gateway/core/schema";

/** The input of a pension quote. Source: specification, "Pension quote request". */
export interface PensionQuoteRequest {
  /**
   * Date of birth, `YYYY-MM-DD`. Source: specification, "Pension quote request".
   * @el Ημερομηνία γέννησης
   */
  personDob: string;
  /**
   * The contribution of each month in EUR, more than 0, at most two decimal places. Source: specification, "Pension
   * quote request".
   * @el Μηνιαία εισφορά
   */
  monthlyContribution: number;
  /**
   * The number of whole years in which contributions are paid, 1 or more. Source: specification, "Pension quote
   * request".
   * @el Διάρκεια καταβολής εισφορών (έτη)
   */
  durationYears: number;
}

export const pensionQuoteRequest: Schema<PensionQuoteRequest> = strict<PensionQuoteRequest>({
  personDob: date(),
  monthlyContribution: amount(),
  durationYears: count(),
});
