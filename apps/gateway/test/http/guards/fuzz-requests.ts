import * as fc from "fast-check";
import { mostly, object, text, usually } from "./fuzz-values.ts";

/** A random request; {host} and {token} are placeholders for the gateway's address and a valid token. */
export interface FuzzedRequest {
  readonly method: string;
  readonly target: string;
  /** The names and values have one character for each byte. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | null;
}

const application = object(
  [
    "policy",
    object(
      ["startDate", usually("2019-03-01", "2027-01-31")],
      ["endDate", usually("2028-03-01", "2027-02-28")],
    ),
  ],
  [
    "vehicle",
    object(
      ["plateNumber", usually("ΙΚΥ-1234", "IKY 1234", "😀")],
      ["manufacturerCode", usually("TOY")],
      ["modelCode", usually("YARIS", "07")],
    ),
  ],
  [
    "holder",
    object(["afm", usually("123456789", "000000000")], ["fullName", usually("Μαρία", "O'Neil")]),
  ],
);

const quote = object(
  ["personDob", usually("1985-06-15", "2000-02-29")],
  ["monthlyContribution", usually(100, 0.01, 99.99)],
  ["durationYears", usually(20, 1)],
);

/** Draws a header's value: any bytes except those that end a line. */
const headerValue: fc.Arbitrary<string> = text.map((value) =>
  Buffer.from(value)
    .toString("latin1")
    .replaceAll(/[\r\n]/g, "")
    .slice(0, 1_000),
);
const header = (
  name: string,
  usual: readonly (string | null)[],
): fc.Arbitrary<readonly [string, string] | null> =>
  fc
    .oneof(
      { weight: 25, arbitrary: fc.constantFrom(...usual) },
      { weight: 1, arbitrary: headerValue },
    )
    .map((value) => (value === null ? null : ([name, value] as const)));

const headers: fc.Arbitrary<FuzzedRequest["headers"]> = fc
  .tuple(
    header("host", ["{host}"]),
    header("authorization", ["Bearer {token}"]),
    header("content-type", ["application/json", "application/json; charset=utf-8"]),
    header("accept", [null, "application/json", "*/*", "application/pdf;q=0.5, */*;q=0.1"]),
    header("content-encoding", [null, null, "identity"]),
    header("idempotency-key", [null, null, null, "k-1", '"k-2"']),
    header("x-sandbox-scenario", [null, "TIMEOUT", "UNAVAILABLE"]),
    header("traceparent", [null, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]),
    header("tracestate", [null, "a=b,c=d"]),
    header("expect", [null, null, null, null, "100-continue"]),
  )
  .map((all) => all.filter((one) => one !== null));

const parameter: fc.Arbitrary<string> = fc
  .tuple(
    mostly(fc.constantFrom("clientAfm", "start", "limit", "applicationId"), text),
    fc.oneof(fc.constantFrom("123456789", "1", "20"), text),
  )
  .map((pair) => new URLSearchParams([pair]).toString());

/** Draws characters that a target may have without ending the request line. */
const targetText: fc.Arbitrary<string> = headerValue.map((value) =>
  value.replaceAll(/[ \t]/g, "%20").slice(0, 300),
);
const query: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: fc.constant("") },
  { weight: 2, arbitrary: fc.array(parameter, { maxLength: 4 }).map((all) => `?${all.join("&")}`) },
  { weight: 1, arbitrary: targetText.map((value) => `?${value}`) },
);
const path = (usual: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: targetText.map((value) => `/${value}`) },
    {
      weight: 1,
      arbitrary: targetText.map((value) => usual.replace(/[^/]*$/, encodeURIComponent(value))),
    },
  );

const bytes = (json: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 30, arbitrary: json.map((value) => Buffer.from(value)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.json().map((value) => Buffer.from(value)) },
  );

/** Draws a call of one kind: mostly with the usual method and path, sometimes with anything else. */
const call = (
  method: string,
  usualPath: string,
  usualQuery: fc.Arbitrary<string>,
  body: fc.Arbitrary<Uint8Array | null>,
): fc.Arbitrary<FuzzedRequest> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 30, arbitrary: fc.constant(method) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            "GET",
            "POST",
            "PUT",
            "PATCH",
            "DELETE",
            "OPTIONS",
            "TRACE",
            "BREW",
          ),
        },
      ),
      fc.tuple(path(usualPath), usualQuery).map((parts) => parts.join("")),
      headers,
      body,
    )
    .map(([given, target, all, content]) => ({
      method: given,
      target,
      headers: all,
      body: content,
    }));

const search = mostly(fc.constant("?clientAfm=123456789"), query);

/** Draws any request, most often applications and quotes. */
export const request: fc.Arbitrary<FuzzedRequest> = fc.oneof(
  { weight: 3, arbitrary: call("POST", "/provider-d/applications", query, bytes(application)) },
  {
    weight: 4,
    arbitrary: call("POST", "/provider-e/life/core/fast-pension-quote", query, bytes(quote)),
  },
  { weight: 1, arbitrary: call("GET", "/provider-a/auto/brands", query, fc.constant(null)) },
  {
    weight: 1,
    arbitrary: call("GET", "/provider-d/applications/search", search, fc.constant(null)),
  },
  { weight: 1, arbitrary: call("GET", "/submissions/x", query, fc.constant(null)) },
);
