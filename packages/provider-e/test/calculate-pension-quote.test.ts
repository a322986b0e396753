import { assertValid, check } from "@insurance-gateway/core/contract";
import { scenarioOf } from "@insurance-gateway/core/runtime";
import { Decimal } from "decimal.js";
import { describe, expect, it } from "vitest";
import { calculatePensionQuote as examples } from "../src/examples/index.ts";
import { calculatePensionQuote, type PensionQuoteRequest } from "../src/index.ts";
import { capitalAtMaturity, charges } from "../src/sandbox/pension.ts";
import { sandbox } from "../src/sandbox.ts";
import { pensionQuote } from "../src/schemas/pension-quote.ts";
import { pensionQuoteRequest } from "../src/schemas/pension-quote-request.ts";

const person: PensionQuoteRequest = {
  personDob: "1985-04-12",
  monthlyContribution: 100,
  durationYears: 20,
};

function ask(changes: Partial<PensionQuoteRequest>, header?: string) {
  const input = { body: { ...person, ...changes } };
  const scenario = scenarioOf(sandbox.scenarios, "calculatePensionQuote", input, header);
  const clock = () => new Date("2026-11-21T08:00:00Z");
  return sandbox.handlers.calculatePensionQuote?.({ input, scenario }, [], clock);
}

function quoteOf(changes: Partial<PensionQuoteRequest>) {
  const answer = ask(changes);
  const body = answer !== undefined && "body" in answer ? answer.body : undefined;
  return assertValid(pensionQuote, body, "the answer");
}

/** Computes the account month by month, as the comment of `capitalAtMaturity` describes it. */
function accountStepByStep(contribution: number, years: number, percent: string): Decimal {
  const growth = new Decimal(percent).div(100).plus(1).pow(new Decimal(1).div(12));
  let account = new Decimal(charges.entry).negated();
  for (let month = 0; month < years * 12; month += 1) {
    const paidIn = account.plus(contribution).minus(new Decimal(charges.yearly).div(12));
    account = paidIn.times(growth).times(new Decimal(1).minus(new Decimal("0.005").div(12)));
  }
  return account;
}

describe("the endpoint calculatePensionQuote", () => {
  it("the endpoint calculatePensionQuote is a quote with the method and path of the interface specification", () => {
    expect(calculatePensionQuote).toMatchObject({
      kind: "quote",
      method: "POST",
      path: "/life/core/fast-pension-quote",
    });
  });

  it.each(Object.entries(examples))(
    "the sandbox answers the example %s of calculatePensionQuote with the documented response",
    (_, example) => {
      expect(check(pensionQuoteRequest, example.request.body).valid).toBe(true);
      expect(quoteOf(example.request.body)).toEqual(example.response);
    },
  );

  it.each([
    [{ personDob: "1985-02-30" }, "/personDob", "FORMAT"],
    [{ monthlyContribution: "100" }, "/monthlyContribution", "TYPE"],
    [{ monthlyContribution: 0 }, "/monthlyContribution", "RANGE"],
    [{ monthlyContribution: 99.999 }, "/monthlyContribution", "PRECISION"],
    [{ durationYears: 20.5 }, "/durationYears", "TYPE"],
    [{ durationYears: undefined }, "/durationYears", "REQUIRED"],
    [{ currency: "EUR" }, "/currency", "UNKNOWN_FIELD"],
  ])(
    "the schema of calculatePensionQuote refuses an invalid field: %j",
    (changes, pointer, code) => {
      expect(check(pensionQuoteRequest, { ...person, ...changes })).toMatchObject({
        valid: false,
        faults: [{ pointer, code }],
      });
    },
  );
});

describe("the capital at maturity", () => {
  it.each([
    ["0", "22453.46"],
    ["2", "27481.91"],
    ["4", "33930.34"],
  ])(
    "capitalAtMaturity returns the capital from 100 EUR a month for 20 years if the entry charge is 0: %s %% a year, capital %s",
    (percent, capital) => {
      const without = { ...charges, entry: "0" };
      expect(capitalAtMaturity(100, 20, percent, without).toFixed(2)).toBe(capital);
    },
  );

  it.each([
    [100, 20, "0"],
    [100, 20, "4"],
    [66.67, 1, "2"],
    [4321.09, 40, "4"],
  ])(
    "capitalAtMaturity returns the same capital as a calculation month by month: %d EUR for %d years at %s %% a year",
    (contribution, years, percent) => {
      expect(capitalAtMaturity(contribution, years, percent, charges).toFixed(2)).toBe(
        accountStepByStep(contribution, years, percent).toFixed(2),
      );
    },
  );
});

describe("the sandbox of provider E", () => {
  it("the sandbox computes the sum of all contributions without rounding errors", () => {
    expect(quoteOf({ monthlyContribution: 33.33, durationYears: 7 })).toMatchObject({
      monthlyContribution: "33.33",
      totalContributions: "2799.72",
    });
  });

  it("the sandbox returns a capital and a pension of 0.00 if the costs exceed the contributions", () => {
    const { scenarios } = quoteOf({ monthlyContribution: 0.01, durationYears: 3 });
    for (const scenario of scenarios)
      expect(scenario).toMatchObject({ capitalAtMaturity: "0.00", monthlyPension: "0.00" });
  });

  it("the sandbox sorts the scenarios of a pension quote from the lowest to the highest capital and pension", () => {
    const { scenarios } = quoteOf({});
    expect(scenarios.map(({ name }) => name)).toEqual(["UNFAVOURABLE", "MODERATE", "FAVOURABLE"]);
    for (const part of ["capitalAtMaturity", "monthlyPension"] as const) {
      const values = scenarios.map((scenario) => Number(scenario[part]));
      expect(values).toEqual(values.toSorted((one, other) => one - other));
    }
  });

  it("the sandbox computes a person's age on the current date of the sandbox's clock, and returns 0 before the birth", () => {
    expect(quoteOf({ personDob: "1985-11-22" }).personAge).toBe(40);
    expect(quoteOf({ personDob: "2030-01-01" }).personAge).toBe(0);
  });

  it.each([
    { durationYears: 100_000 },
    { durationYears: Number.MAX_SAFE_INTEGER },
    { monthlyContribution: 1e300, durationYears: Number.MAX_SAFE_INTEGER },
  ])("the sandbox refuses a quote whose capital is too large to compute: %j", (changes) => {
    expect(ask(changes)).toMatchObject({
      status: 422,
      problem: {
        code: "PROVIDER_REJECTED",
        errors: [{ pointer: "/durationYears", code: "RANGE" }],
      },
    });
  });

  it.each([
    [{ monthlyContribution: 66.66 }, undefined],
    [{}, "UNAVAILABLE"],
  ])(
    "the sandbox answers 503 if the contribution 66.66 or the header selects the scenario UNAVAILABLE: fields %j, header %s",
    (changes, header) => {
      expect(ask(changes, header)).toMatchObject({
        status: 503,
        headers: { "retry-after": "5" },
        problem: { code: "PROVIDER_UNAVAILABLE" },
      });
    },
  );

  it("the sandbox sends no answer if the contribution 77.77 selects the scenario TIMEOUT", () => {
    expect(ask({ monthlyContribution: 77.77 })).toMatchObject({ silence: true });
  });
});
