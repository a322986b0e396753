import {
  type Arrival,
  type FaultInjectingInsurer,
  type InsurerAnswer,
  startFaultInjectingInsurer,
} from "@insurance-gateway/testkit";
import { createApplicationsInsurer } from "./applications.ts";

const brands = { items: [{ code: "TOY", name: "Toyota" }] };

/** A valid answer to the specification's quote. */
export const pensionQuote: object = {
  personAge: 41,
  durationYears: 20,
  monthlyContribution: "100.00",
  totalContributions: "24000.00",
  costs: { entry: "10.00", yearly: "20.00", accountPercent: "0.50" },
  scenarios: [],
  assumptions: { annuityYears: 20, annuityReturnPercent: "2.00", compounding: "Monthly." },
  currency: "EUR",
};

const pdf: InsurerAnswer = {
  status: 200,
  headers: { "content-type": "application/pdf" },
  body: "%PDF-1.7\nThe insurer's document.\n%%EOF\n",
};

/** Starts an insurer that answers every kind of call correctly until a test makes it fail. */
export function startEveryKindInsurer(): Promise<FaultInjectingInsurer> {
  const applications = createApplicationsInsurer();
  const answers: Readonly<Record<string, () => InsurerAnswer>> = {
    "/auto/brands": () => json(brands),
    "/life/core/fast-pension-quote": () => json(pensionQuote),
    "/application/ipid": () => pdf,
  };
  return startFaultInjectingInsurer({
    execute: (arrival: Arrival) => answers[arrival.path]?.() ?? applications.execute(arrival),
  });
}

function json(body: object): InsurerAnswer {
  return { status: 200, body: JSON.stringify(body) };
}
