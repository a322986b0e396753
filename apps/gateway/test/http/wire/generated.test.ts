import type { Gateway } from "@insurance-gateway/core";
import { type Endpoint, jsonAnswerOf, type Schema } from "@insurance-gateway/core/contract";
import {
  answersOf,
  type CheckedInput,
  headerTextFaults,
  inputChecker,
  jsonBodyOf,
  namedParameters,
  routerPattern,
} from "@insurance-gateway/core/runtime";
import { fittingValues } from "@insurance-gateway/testkit";
import findMyWay from "find-my-way";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Arrival, type Insurer, json } from "../../harness/insurer.ts";
import { providerWire } from "./wire-provider.ts";
import { startWireSite, type WireSite } from "./wire-site.ts";

const endpoints = Object.entries<Endpoint>({ ...providerWire.endpoints });

let insurer: Insurer;
let application: Gateway;
let site: WireSite;
beforeAll(async () => {
  site = await startWireSite();
  ({ application, insurer } = site);
});
afterAll(() => site.stop());

const TRIPS = 6;

/** Returns values that fit the schema of a part of a request, one for each call. */
function valuesOf(
  schema: Schema<unknown> | undefined,
  isUsable?: (text: string) => boolean,
): readonly unknown[] {
  if (schema === undefined) return Array.from({ length: TRIPS }, () => undefined);
  const values = fittingValues(schema, TRIPS, undefined, isUsable);
  expect(values.length).toBeGreaterThan(0);
  return Array.from({ length: TRIPS }, (_, trip) => values[trip % values.length]);
}

/** Reads the request that the insurer received, by the declaration of the endpoint. */
function readAt(endpoint: Endpoint, { body, headers, url }: Arrival): CheckedInput {
  const router = findMyWay({ maxParamLength: 65_536 });
  router.on("GET", `/api${routerPattern(endpoint.path)}`, () => {});
  const [path = "", search = ""] = url.split("?", 2);
  const found = router.find("GET", path)?.params ?? {};
  const read = inputChecker(endpoint)({
    params: namedParameters(endpoint.path, found),
    search,
    headers,
    body: body === "" ? undefined : JSON.parse(body),
  });
  if (!read.valid) throw new TypeError(JSON.stringify(read.faults));
  return read.value;
}

describe("generated values over HTTP", () => {
  it.each(endpoints)(
    "random valid values reach the insurer and return to the client unchanged: %s",
    async (_, endpoint) => {
      const inPath = (text: string): boolean => !/[/\\%]|^\.*$|^new$/.test(text);
      const inHeader = (text: string): boolean => headerTextFaults("", text).length === 0;
      const params = valuesOf(endpoint.params, inPath);
      const query = valuesOf(endpoint.query);
      const headers = valuesOf(endpoint.headers, inHeader);
      const bodies = valuesOf(jsonBodyOf(endpoint));
      const answers = answersOf(endpoint).map(([status, answer]) => {
        const values = valuesOf(jsonAnswerOf(answer));
        const head = Object(
          answer.headers && fittingValues(answer.headers, 1, undefined, inHeader)[0],
        );
        return { status, values, head };
      });
      for (let trip = 0; trip < TRIPS; trip++) {
        const { head, status, values } = answers[trip % answers.length] ?? {
          head: {},
          status: 0,
          values: [],
        };
        insurer.behaviour =
          values[trip] === undefined
            ? (response) => response.writeHead(status).end()
            : json(status, JSON.stringify(values[trip]), head);
        const sent = {
          params: params[trip],
          query: query[trip],
          headers: headers[trip],
          body: bodies[trip],
        };
        const input = {
          ...sent,
          idempotencyKey: endpoint.kind === "submission" ? `${trip}` : undefined,
        };
        // The compiler cannot know that the values fit the endpoint.
        const call = application.call(endpoint, input as Parameters<typeof application.call>[1]);
        const answer = await call.withResponse();
        expect([answer.status, answer.data]).toEqual([status, values[trip]]);
        const [arrival] = insurer.arrivals.slice(-1);
        if (arrival === undefined) throw new TypeError("Nothing arrived");
        const { body, mediaType: _, ...read } = readAt(endpoint, arrival);
        expect(read).toEqual({
          params: sent.params ?? {},
          query: sent.query ?? {},
          headers: sent.headers ?? {},
        });
        expect(body).toEqual(sent.body);
      }
    },
  );
});
