import type { RecordedGateway } from "./recorded-gateway.ts";

type Answered = ReturnType<RecordedGateway["recorder"]["takeRecorded"]>;

/** Returns the statuses of each path in request order, with a placeholder for the id of a submission. */
export function statusesOf(answered: Answered): Readonly<Record<string, readonly number[]>> {
  const paths = Map.groupBy(answered, ({ method, path }) => {
    const place = (path ?? "").replace(/(?<=^.submissions.)[^?]+/, "{submissionId}");
    return `${method} ${place}`;
  });
  return Object.fromEntries(
    [...paths].map(([path, list]) => [path, list.map(({ status }) => status)]),
  );
}

/** The expected statuses of a first run of the collection of all providers. */
export const documentedRun: ReturnType<typeof statusesOf> = {
  "GET /provider-a/auto/brands": [200, 400],
  "GET /provider-b/countries": [200, 400],
  // The third request gets 409 from the insurer: the document is not ready.
  "GET /provider-c/application/ipid": [200, 400, 409],
  "GET /provider-c/vehicle/usages": [200],
  // The statuses of the applications: created; refused by the gateway; rejected by the insurer; sent twice with one
  // key; answer lost; sent again while the lost application is open.
  "POST /provider-d/applications": [201, 400, 422, 201, 201, 504, 409],
  "GET /provider-d/applications/search": [200],
  "POST /provider-e/life/core/fast-pension-quote": [200, 400],
  // Two requests about the lost submission, then the requests to the gateway's own endpoints.
  "GET /submissions/{submissionId}": [200, 200],
  "GET /submissions": [200],
  "GET /providers": [200],
  "GET /providers/provider-d/status": [200],
  "GET /sandbox/scenarios": [200],
};
