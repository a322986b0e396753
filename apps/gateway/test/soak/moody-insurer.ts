import { randomInt } from "node:crypto";
import { createApplicationsInsurer } from "../harness/applications.ts";
import { pensionQuote } from "../harness/fault-insurer.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";

const PDF = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(50_000, "x")]);

const document: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/pdf", "content-length": PDF.length });
  response.end(PDF);
};

/** The insurer's faults, each with its share in percent. */
const moods: readonly (readonly [number, Behaviour])[] = [
  [2, json(500, {})],
  [1, json(503, {}, { "retry-after": "1" })],
  [1, (response) => void response.socket?.resetAndDestroy()],
  [1, json(200, "{")],
  // The delay is longer than the gateway's timeout.
  [1, (response, arrival) => void setTimeout(() => json(200, {})(response, arrival), 3_000)],
];

/** Starts an insurer for every provider that answers most requests without a fault. */
export function startMoodyInsurer(): Promise<Insurer> {
  let applications = createApplicationsInsurer();
  const insurer = startInsurer((response, arrival) => {
    // The insurer's records are deleted, because the memory of the test itself must not grow.
    if (applications.records.length > 5_000) applications = createApplicationsInsurer();
    const [path = "", query = ""] = arrival.url.split("?");
    const mood = moodOf(randomInt(100));
    setTimeout(
      () => {
        if (mood !== undefined) mood(response, arrival);
        else if (path.endsWith("/ipid")) document(response, arrival);
        else if (path.includes("/applications")) {
          const { body, status } = applications.execute({ ...arrival, query });
          json(status, body)(response, arrival);
        } else if (path.endsWith("-quote")) json(200, pensionQuote)(response, arrival);
        else json(200, { items: [{ code: "TOY", name: "Toyota" }] })(response, arrival);
      },
      randomInt(5, 60),
    );
    void insurer.then(({ arrivals }) => arrivals.splice(0));
  });
  return insurer;
}

function moodOf(number: number): Behaviour | undefined {
  let sum = 0;
  for (const [often, mood] of moods) {
    sum += often;
    if (number < sum) return mood;
  }
  return undefined;
}
