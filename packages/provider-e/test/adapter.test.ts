import { callAdapter, type ScriptedAnswer } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import { calculatePensionQuote } from "../src/index.ts";

const request = { personDob: "1984-02-29", monthlyContribution: 66.6, durationYears: 20 };

const quotation = {
  age: 41,
  years: 20,
  premiumMonthly: "66,60",
  premiumsTotal: "15.984,00",
  charges: { entry: "10,00", yearly: "20", accountPercent: "0,5" },
  projections: [
    { scenario: "MID", returnPercent: "2,00", capital: "1.027.468,47", pension: "0,01" },
  ],
  basis: { annuityYears: 20, annuityReturnPercent: "2,00", method: "Μηνιαίως." },
  currencyCode: "EUR",
};

const ask = (answer: Partial<ScriptedAnswer>, body: object = request) =>
  callAdapter(adapter, calculatePensionQuote, { body }, [{ body: "", ...answer }]);

it("the adapter of provider E converts dates and decimals in the request and in the answer", async () => {
  const { answer, sent } = await ask({ body: JSON.stringify(quotation) });
  expect(sent).toMatchObject([
    {
      method: "POST",
      path: "/pension/v1/quotations",
      body: '{"birthDate":"29/02/1984","premiumMonthly":"66,60","years":20}',
      acts: false,
    },
  ]);
  expect(answer).toEqual({
    type: "value",
    status: 200,
    value: {
      personAge: 41,
      durationYears: 20,
      monthlyContribution: "66.60",
      totalContributions: "15984.00",
      costs: { entry: "10.00", yearly: "20.00", accountPercent: "0.50" },
      scenarios: [
        {
          name: "MODERATE",
          annualReturnPercent: "2.00",
          capitalAtMaturity: "1027468.47",
          monthlyPension: "0.01",
        },
      ],
      assumptions: { annuityYears: 20, annuityReturnPercent: "2.00", compounding: "Μηνιαίως." },
      currency: "EUR",
    },
  });
});

it("the adapter of provider E reports an insurer's refusal with the declared field names and without the insurer's texts", async () => {
  const errors = [
    { code: "Q-107", field: "years", text: "66,60 is too much" },
    { code: "Q-107", field: "constructor" },
    { code: "Q-107" },
  ];
  const { answer } = await ask({ status: 422, body: JSON.stringify({ errors }) });
  expect(answer).toMatchObject({
    type: "refusal",
    status: 422,
    faults: [{ pointer: "/durationYears", code: "INVALID", message: "was refused by the insurer" }],
  });
});

it.each([
  ["a decimal with a point", { ...quotation, premiumsTotal: "15984.00" }],
  ["an amount with three decimals", { ...quotation, premiumsTotal: "1,001" }],
  [
    "an unknown scenario",
    { ...quotation, projections: [{ ...quotation.projections[0], scenario: "BEST" }] },
  ],
  ["no charges", { ...quotation, charges: null }],
])("the adapter of provider E reports the insurer's answer as unreadable: %s", async (_, body) => {
  expect((await ask({ body: JSON.stringify(body) })).answer).toMatchObject({ type: "unreadable" });
});

it("the adapter of provider E refuses to send an amount that the insurer's format cannot express", async () => {
  const { answer, sent } = await ask({}, { ...request, monthlyContribution: 1e20 });
  expect(sent).toEqual([]);
  expect(answer).toMatchObject({
    type: "unsendable",
    faults: [{ pointer: "/monthlyContribution", code: "VALUE" }],
  });
});
