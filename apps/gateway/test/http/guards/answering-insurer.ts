import {
  applicationBody,
  createApplicationsInsurer,
  listedApplication,
} from "../../harness/applications.ts";
import { pensionQuote } from "../../harness/fault-insurer.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../../harness/insurer.ts";

/**
 * Starts an insurer that answers lookups, quotes, applications and searches as declared. A search always finds one
 * application, because the gateway would repeat a search with an empty list on a used connection.
 */
export function startAnsweringInsurer(): Promise<Insurer> {
  const applications = createApplicationsInsurer();
  const answer: Behaviour = (response, arrival) => {
    const { pathname, searchParams } = new URL(arrival.url, "http://insurer");
    const { body, method } = arrival;
    if (pathname.endsWith("/auto/brands")) json(200, { items: [] })(response, arrival);
    else if (pathname.endsWith("/fast-pension-quote")) json(200, pensionQuote)(response, arrival);
    else if (method === "GET")
      json(200, foundFor(searchParams.get("clientAfm") ?? ""))(response, arrival);
    else {
      const done = applications.execute({ method, query: "", body });
      json(done.status, done.body.toString())(response, arrival);
    }
  };
  return startInsurer(answer);
}

/** Creates a list with one application of a customer. */
export function foundFor(afm: string): object {
  const at = "2026-11-20T09:00:00Z";
  const added = { applicationId: "D-1", createdAt: at, updatedAt: at };
  return {
    items: [listedApplication(applicationBody(afm), added)],
    start: 1,
    limit: 20,
    total: 1,
  };
}
