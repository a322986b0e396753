import { createApplicationsInsurer } from "../harness/applications.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";

const quote = {
  personAge: 41,
  durationYears: 20,
  monthlyContribution: "100.00",
  totalContributions: "24000.00",
  costs: { entry: "10.00", yearly: "20.00", accountPercent: "0.50" },
  scenarios: [],
  assumptions: { annuityYears: 20, annuityReturnPercent: "2.00", compounding: "Monthly." },
  currency: "EUR",
};

/** Starts an insurer that answers lookups, quotes, applications and searches as they are declared. */
export function startAnsweringInsurer(): Promise<Insurer> {
  const applications = createApplicationsInsurer();
  const answer: Behaviour = (response, arrival) => {
    const { pathname, search } = new URL(arrival.url, "http://insurer");
    if (pathname.endsWith("/auto/brands")) json(200, { items: [] })(response, arrival);
    else if (pathname.endsWith("/fast-pension-quote")) json(200, quote)(response, arrival);
    else {
      const { body, method } = arrival;
      const done = applications.execute({ method, query: search.slice(1), body });
      json(done.status, done.body.toString())(response, arrival);
    }
  };
  return startInsurer(answer);
}
