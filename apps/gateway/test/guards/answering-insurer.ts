import { createApplicationsInsurer } from "../harness/applications.ts";
import { pensionQuote } from "../harness/fault-insurer.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";

/** Starts an insurer that answers lookups, quotes, applications and searches as they are declared. */
export function startAnsweringInsurer(): Promise<Insurer> {
  const applications = createApplicationsInsurer();
  const answer: Behaviour = (response, arrival) => {
    const { pathname, search } = new URL(arrival.url, "http://insurer");
    if (pathname.endsWith("/auto/brands")) json(200, { items: [] })(response, arrival);
    else if (pathname.endsWith("/fast-pension-quote")) json(200, pensionQuote)(response, arrival);
    else {
      const { body, method } = arrival;
      const done = applications.execute({ method, query: search.slice(1), body });
      json(done.status, done.body.toString())(response, arrival);
    }
  };
  return startInsurer(answer);
}
