import type { Behaviour } from "../harness/insurer.ts";
import { canaries } from "./canary.ts";

/** Returns the received request and all canaries (customers' data and secrets) as text. */
function everything(arrival: object): string {
  return JSON.stringify({ arrival, canaries });
}

/**
 * Returns a behaviour that answers with a status and a media type, and puts the request into the answer's headers and
 * body.
 */
function echo(status: number, mediaType: string, body: (arrival: object) => string): Behaviour {
  return (response, arrival) => {
    const { authorization = "" } = arrival.headers;
    response.writeHead(status, {
      "content-type": mediaType,
      "x-customer": encodeURIComponent(canaries.fullName),
      "x-afm": canaries.afm,
      "set-cookie": `afm=${canaries.afm}`,
      server: `insurer of ${canaries.afm}`,
      etag: `"${canaries.afm}"`,
      location: `/applications?afm=${canaries.afm}`,
      "www-authenticate": `Bearer error="${authorization}"`,
      warning: `199 - "${canaries.dateOfBirth}"`,
    });
    response.end(body(arrival));
  };
}

const problemWith = (code: string) => (arrival: object) =>
  JSON.stringify({
    type: `/errors/${canaries.afm}`,
    title: canaries.fullName,
    code,
    detail: everything(arrival),
    errors: [
      { pointer: `/holder/${canaries.afm}`, code: canaries.afm, message: canaries.fullName },
      { pointer: "/holder/afm", code: canaries.plateNumber, message: everything(arrival) },
    ],
    [canaries.afm]: canaries.fullName,
  });

/** Behaviours of insurers that quote the request or the canaries in their answers, by name. */
export const echoingBehaviours: Readonly<Record<string, Behaviour>> = {
  "a good answer with headers that quote": echo(200, "application/json", () => '{"items":[]}'),
  "a problem that quotes": echo(422, "application/problem+json", problemWith("PROVIDER_REJECTED")),
  "a problem whose code is a customer's number": echo(
    422,
    "application/problem+json",
    problemWith(canaries.afm),
  ),
  "a duplicate that names the customer": echo(
    409,
    "application/problem+json",
    problemWith("DUPLICATE_APPLICATION"),
  ),
  "a refusal of the credentials that quotes them": echo(401, "application/json", everything),
  "a success that is no JSON": echo(
    201,
    "application/json",
    (arrival) => `${everything(arrival)}}`,
  ),
  "a success whose identifier is the customer's number": echo(201, "application/json", () =>
    JSON.stringify({ applicationId: canaries.afm, holder: canaries }),
  ),
  "a success of another form": echo(200, "application/json", everything),
  "a web page": echo(200, "text/html", everything),
  "a document that is none": echo(200, "application/pdf", everything),
  "a failure with a stack": echo(500, "text/plain", (arrival) => `Error: ${everything(arrival)}`),
  "a connection that breaks while it quotes": (response, arrival) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "999999" });
    response.write(everything(arrival), () => response.socket?.resetAndDestroy());
  },
  "a connection that breaks": (response) => void response.socket?.resetAndDestroy(),
};
