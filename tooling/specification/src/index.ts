import { readFileSync } from "node:fs";

/** One request of the interface specification, with only the headers that the specification shows. */
export interface SpecificationRequest {
  /** The request's number in the specification's table of endpoints. */
  readonly number: number;
  readonly provider: string;
  /** The name of the endpoint that declares the request. */
  readonly endpoint: string;
  readonly method: "GET" | "POST";
  /** The path after the provider's segment. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** The expected answer. */
  readonly status: number;
  readonly mediaType: string;
}

/** Returns the seven requests of the specification, with a start date long past and the AFM 123456789. */
export function specificationRequests(): readonly SpecificationRequest[] {
  return JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf8"));
}

/** Sends a request of the specification to a base address with `fetch`, like a caller without the project's client. */
export function sendRequest(
  baseUrl: string,
  token: string,
  request: SpecificationRequest,
): Promise<Response> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {}))
    query.append(name, String(value));
  return fetch(
    `${baseUrl}/${request.provider}${request.path}${query.size > 0 ? `?${query.toString()}` : ""}`,
    {
      method: request.method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    },
  );
}
