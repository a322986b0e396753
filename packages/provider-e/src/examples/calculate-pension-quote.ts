import type { Examples } from "@insurance-gateway/core/contract";
import type { calculatePensionQuote } from "../endpoints/index.ts";

export const calculatePensionQuoteExamples: Examples<typeof calculatePensionQuote> = {
  twentyYears: {
    summary: "100 EUR a month for twenty years",
    request: { body: { personDob: "1985-04-12", monthlyContribution: 100, durationYears: 20 } },
    response: {
      personAge: 41,
      durationYears: 20,
      monthlyContribution: "100.00",
      totalContributions: "24000.00",
      costs: { entry: "10.00", yearly: "20.00", accountPercent: "0.50" },
      scenarios: [
        {
          name: "UNFAVOURABLE",
          annualReturnPercent: "0.00",
          capitalAtMaturity: "22444.41",
          monthlyPension: "113.16",
        },
        {
          name: "MODERATE",
          annualReturnPercent: "2.00",
          capitalAtMaturity: "27468.47",
          monthlyPension: "138.49",
        },
        {
          name: "FAVOURABLE",
          annualReturnPercent: "4.00",
          capitalAtMaturity: "33910.52",
          monthlyPension: "170.97",
        },
      ],
      assumptions: {
        annuityYears: 20,
        annuityReturnPercent: "2.00",
        compounding:
          "Contributions are paid at the start of each month. The annual return is effective: each month " +
          "multiplies the account by its twelfth root, and a twelfth of the yearly charge on the account is " +
          "deducted at the end of the month. The pension is paid at the start of each month.",
      },
      currency: "EUR",
    },
  },
};
