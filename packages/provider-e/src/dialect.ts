import {
  amountText,
  codes,
  dateText,
  decimalText,
  type Mapping,
  plainText,
} from "@insurance-gateway/adapter";

/** The format of amounts and percentages: a decimal comma, and optional points between thousands. */
const money = decimalText(",", 2, ".");

/** A request in the insurer's format. */
export const requestRows: Mapping = [
  ["/personDob", "/birthDate", dateText("dd/MM/yyyy")],
  ["/monthlyContribution", "/premiumMonthly", amountText(",", 2)],
  ["/durationYears", "/years"],
];

/** The fields of a quotation, as the insurer writes them. */
export const quoteRows: Mapping = [
  ["/personAge", "/age"],
  ["/durationYears", "/years"],
  ["/monthlyContribution", "/premiumMonthly", money],
  ["/totalContributions", "/premiumsTotal", money],
  {
    group: ["/costs", "/charges"],
    fields: [
      ["/entry", "/entry", money],
      ["/yearly", "/yearly", money],
      ["/accountPercent", "/accountPercent", money],
    ],
  },
  {
    list: ["/scenarios", "/projections"],
    each: [
      ["/name", "/scenario", codes({ LOW: "UNFAVOURABLE", MID: "MODERATE", HIGH: "FAVOURABLE" })],
      ["/annualReturnPercent", "/returnPercent", money],
      ["/capitalAtMaturity", "/capital", money],
      ["/monthlyPension", "/pension", money],
    ],
  },
  {
    group: ["/assumptions", "/basis"],
    fields: [
      ["/annuityYears", "/annuityYears"],
      ["/annuityReturnPercent", "/annuityReturnPercent", money],
      ["/compounding", "/method", plainText],
    ],
  },
  ["/currency", "/currencyCode", plainText],
];

/** The insurer's field names in error answers, with the declared fields. */
export const fieldNames: Readonly<Record<string, string>> = {
  birthDate: "/personDob",
  premiumMonthly: "/monthlyContribution",
  years: "/durationYears",
};
