import { Decimal } from "decimal.js";
import type { PensionQuote, PensionScenario } from "../schemas/pension-quote.ts";
import type { PensionQuoteRequest } from "../schemas/pension-quote-request.ts";

/** A decimal type with enough digits that only the final result is rounded to a cent, even after 100,000 years. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

/** The insurer's charges; amounts in EUR. */
export interface Charges {
  /** Charge that is deducted once, from the first contribution. */
  readonly entry: string;
  /** Charge of each year; a twelfth is deducted from every contribution. */
  readonly yearly: string;
  /** Charge of each year in percent of the account; a twelfth is deducted at every month's end. */
  readonly accountPercent: string;
}

/** The charges of the simulated insurer. */
export const charges: Charges = { entry: "10.00", yearly: "20.00", accountPercent: "0.50" };

const annualReturns: readonly Pick<PensionScenario, "name" | "annualReturnPercent">[] = [
  { name: "UNFAVOURABLE", annualReturnPercent: "0.00" },
  { name: "MODERATE", annualReturnPercent: "2.00" },
  { name: "FAVOURABLE", annualReturnPercent: "4.00" },
];

const annuityYears = 20;
const annuityReturnPercent = "2.00";
const compounding =
  "Contributions are paid at the start of each month. The annual return is effective: each month " +
  "multiplies the account by its twelfth root, and a twelfth of the yearly charge on the account is " +
  "deducted at the end of the month. The pension is paid at the start of each month.";

/** Largest capital that an insurer promises, in EUR. */
const greatestCapital = new Exact("1e15");

/**
 * Returns the content of the account after the last month, in EUR, not rounded; never less than 0.
 *
 * At the start of each of n = 12 × years months the account receives the contribution less a twelfth of the yearly
 * charge. Each month multiplies the account by q = (1 + annual return)^(1/12) × (1 − account charge / 12): an effective
 * return, then a nominal charge on the account. So the account is (contribution − yearly / 12) × (q + q² + … + qⁿ),
 * less entry × qⁿ: the entry charge and its returns since the first month.
 *
 * @param contribution - of each month, in EUR
 */
export function capitalAtMaturity(
  contribution: number,
  years: number,
  annualReturnPercent: string,
  { entry, yearly, accountPercent }: Charges,
): Decimal {
  const monthly = monthlyFactor(annualReturnPercent).times(
    new Exact(1).minus(new Exact(accountPercent).div(1200)),
  );
  const invested = new Exact(contribution).minus(new Exact(yearly).div(12));
  const overall = monthly.pow(new Exact(years).times(12));
  const capital = invested.times(sumOfPowers(monthly, overall)).minus(overall.times(entry));
  return Exact.max(0, capital);
}

/**
 * Returns the quote, or null if the capital is more than the insurer can promise.
 * @param personAge - in whole years
 */
export function pensionQuoteOf(
  { monthlyContribution, durationYears }: PensionQuoteRequest,
  personAge: number,
): PensionQuote | null {
  const capitals = annualReturns.map((scenario) => ({
    ...scenario,
    capital: capitalAtMaturity(
      monthlyContribution,
      durationYears,
      scenario.annualReturnPercent,
      charges,
    ),
  }));
  // This condition also refuses a capital that is not a finite number.
  if (!capitals.every(({ capital }) => capital.lessThanOrEqualTo(greatestCapital))) return null;
  const contribution = new Exact(monthlyContribution);
  return {
    personAge,
    durationYears,
    monthlyContribution: contribution.toFixed(2),
    totalContributions: contribution.times(12).times(durationYears).toFixed(2),
    costs: { ...charges },
    scenarios: capitals.map(({ name, annualReturnPercent, capital }) => ({
      name,
      annualReturnPercent,
      capitalAtMaturity: capital.toFixed(2),
      monthlyPension: capital.div(priceOfPension()).toFixed(2),
    })),
    assumptions: { annuityYears, annuityReturnPercent, compounding },
    currency: "EUR",
  };
}

/** Returns the price of a pension of 1 EUR a month, at the time when the pension begins. */
function priceOfPension(): Decimal {
  const discount = new Exact(1).div(monthlyFactor(annuityReturnPercent));
  // The first month is paid at once, so every payment is discounted by one month less than in `sumOfPowers`.
  return sumOfPowers(discount, discount.pow(annuityYears * 12)).div(discount);
}

/** Returns the growth factor of one month; its twelfth power is the annual return. */
function monthlyFactor(annualReturnPercent: string): Decimal {
  return new Exact(annualReturnPercent).div(100).plus(1).pow(new Exact(1).div(12));
}

/** Returns the sum factor + factor² + … + factorⁿ for a given factorⁿ. The factor must not be 1. */
function sumOfPowers(factor: Decimal, power: Decimal): Decimal {
  return factor.times(power.minus(1)).div(factor.minus(1));
}
