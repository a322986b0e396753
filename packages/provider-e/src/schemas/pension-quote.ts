import type { OpenEnum, Schema } from "@insurance-gateway/core/contract";
import { decimal, list, loose, openEnum, zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** The costs and the pension of a plan. A calculation: nothing is stored. Source: `docs/decisions.md`, "Answers". */
export interface PensionQuote {
  /**
   * The person's age today in whole years.
   * @el Ηλικία
   */
  personAge: number;
  /**
   * The number of years in which contributions are paid, as requested.
   * @el Διάρκεια καταβολής εισφορών (έτη)
   */
  durationYears: number;
  /**
   * The contribution of each month, as requested; a decimal string with two places.
   * @el Μηνιαία εισφορά
   */
  monthlyContribution: string;
  /**
   * All contributions together, before costs; a decimal string with two places.
   * @el Σύνολο εισφορών
   */
  totalContributions: string;
  /** @el Έξοδα */
  costs: PensionCosts;
  /**
   * The possible results, from the lowest to the highest return.
   * @el Σενάρια απόδοσης
   */
  scenarios: PensionScenario[];
  /** @el Παραδοχές υπολογισμού */
  assumptions: PensionAssumptions;
  /**
   * ISO 4217, of every amount here: "EUR".
   * @el Νόμισμα
   */
  currency: string;
}

/** The insurer's charges. */
export interface PensionCosts {
  /**
   * The charge that is deducted once, from the first contribution; a decimal string with two places.
   * @el Έξοδα εισόδου
   */
  entry: string;
  /**
   * The charge of each year; a twelfth is deducted from every contribution. A decimal string with two places.
   * @el Ετήσια έξοδα
   */
  yearly: string;
  /**
   * The charge of each year in percent of the account; a twelfth is deducted every month. A decimal string with two
   * places.
   * @el Έξοδα διαχείρισης λογαριασμού (%)
   */
  accountPercent: string;
}

/** A possible result of the plan. */
export interface PensionScenario {
  /** @el Σενάριο */
  name: PensionScenarioName;
  /**
   * The return of each year in percent, before the charge on the account; a decimal string with two places.
   * @el Ετήσια απόδοση (%)
   */
  annualReturnPercent: string;
  /**
   * The content of the account after the last month; a decimal string with two places.
   * @el Κεφάλαιο στη λήξη
   */
  capitalAtMaturity: string;
  /**
   * The pension of each month that the capital buys; a decimal string with two places.
   * @el Μηνιαία σύνταξη
   */
  monthlyPension: string;
}

/** The development of the markets in a scenario; the list may grow. */
export type PensionScenarioName = OpenEnum<(typeof scenarioNames)[number]>;

const scenarioNames = ["UNFAVOURABLE", "MODERATE", "FAVOURABLE"] as const;

/** The assumptions of the calculation. */
export interface PensionAssumptions {
  /**
   * The number of whole years in which the pension is paid.
   * @el Διάρκεια καταβολής σύνταξης (έτη)
   */
  annuityYears: number;
  /**
   * The return of each year in percent while the pension is paid; a decimal string with two places.
   * @el Ετήσια απόδοση κατά τη συνταξιοδότηση (%)
   */
  annuityReturnPercent: string;
  /**
   * How returns and charges are applied, as a text for a person.
   * @el Ανατοκισμός
   */
  compounding: string;
}

const pensionCosts: Schema<PensionCosts> = loose<PensionCosts>({
  entry: decimal(),
  yearly: decimal(),
  accountPercent: decimal(),
});

const pensionScenario: Schema<PensionScenario> = loose<PensionScenario>({
  name: openEnum(...scenarioNames),
  annualReturnPercent: decimal(),
  capitalAtMaturity: decimal(),
  monthlyPension: decimal(),
});

const pensionAssumptions: Schema<PensionAssumptions> = loose<PensionAssumptions>({
  annuityYears: z.int(),
  annuityReturnPercent: decimal(),
  compounding: z.string(),
});

export const pensionQuote: Schema<PensionQuote> = loose<PensionQuote>({
  personAge: z.int().check(z.minimum(0)),
  durationYears: z.int().check(z.minimum(1)),
  monthlyContribution: decimal(),
  totalContributions: decimal(),
  costs: zod(pensionCosts),
  scenarios: list(zod(pensionScenario)),
  assumptions: zod(pensionAssumptions),
  currency: z.string(),
});
