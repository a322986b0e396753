import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { sendRequest, specificationRequests } from "@insurance-gateway/specification";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "./harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "./harness/gateway-in-process.ts";
import { type Behaviour, type Insurer, json, problem, startInsurer } from "./harness/insurer.ts";
import { problemIn } from "./harness/problem.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
const timeouts = { connectMs: 1_000, totalMs: 400, submissionMs: 400 };

beforeAll(async () => {
  insurer = await startInsurer(json(200, {}));
  gateway = await startInProcess({
    providers: ["a", "c", "d", "e"].map((letter) => ({
      ...insurerConfiguration(letter, insurer.baseUrl),
      timeouts,
    })),
  });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

const kinds = { lookup: 1, submission: 4, quote: 5, search: 6, document: 7 };
type Kind = keyof typeof kinds;

function call(kind: Kind): Promise<Response> {
  const request = specificationRequests().find(({ number }) => number === kinds[kind]);
  if (request === undefined) throw new Error(`The fixture has no request for ${kind}`);
  // Each submission is another customer's, so that none is a duplicate of one whose outcome is unknown.
  return kind === "submission"
    ? submitApplication(gateway, applicationBody())
    : sendRequest(gateway.address, gateway.token, request);
}

const silent: Behaviour = () => {};
const reset: Behaviour = (response) => response.socket?.resetAndDestroy();
const html: Behaviour = (response) =>
  response.writeHead(200, { "content-type": "text/html" }).end("<h1>Καλημέρα</h1>");
const half: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.write('{"items":[');
  response.socket?.destroySoon();
};

/** What the insurer does, and for each kind the status, code, outcome and advice the caller gets. */
const read = (status: number, code: string, outcome = "unknown", retry = "safe"): string =>
  `${status} ${code} ${outcome} ${retry}`;
const UNKNOWN = "504 OUTCOME_UNKNOWN unknown same_key";
const faults: readonly [string, Behaviour, string, string][] = [
  ["never answers", silent, read(504, "PROVIDER_TIMEOUT"), UNKNOWN],
  ["resets the connection", reset, read(502, "PROVIDER_UNREACHABLE"), UNKNOWN],
  ["answers with half a body", half, read(502, "PROVIDER_UNREACHABLE"), UNKNOWN],
  ["answers with HTML", html, read(502, "PROVIDER_BAD_RESPONSE"), UNKNOWN],
  [
    "answers with a form nobody declared",
    json(200, { lines: 3 }),
    read(502, "PROVIDER_BAD_RESPONSE"),
    UNKNOWN,
  ],
  ["answers with broken JSON", json(200, "{"), read(502, "PROVIDER_BAD_RESPONSE"), UNKNOWN],
  ["fails without a word", json(500, {}), read(502, "PROVIDER_BAD_RESPONSE"), UNKNOWN],
  [
    "redirects",
    json(302, {}, { location: "http://127.0.0.1:9/" }),
    read(502, "PROVIDER_BAD_RESPONSE"),
    UNKNOWN,
  ],
  ["is a proxy that found nothing", json(404, {}), read(502, "PROVIDER_BAD_RESPONSE"), UNKNOWN],
  [
    "refuses our credentials",
    json(401, {}),
    read(502, "PROVIDER_AUTH_FAILED", "rejected", "never"),
    read(502, "PROVIDER_AUTH_FAILED", "rejected", "never"),
  ],
  [
    "refuses the request",
    problem(422, "PROVIDER_REJECTED"),
    read(422, "PROVIDER_REJECTED", "rejected", "never"),
    read(422, "PROVIDER_REJECTED", "rejected", "never"),
  ],
  [
    "says the broker's limit is used up",
    problem(422, "BROKER_LIMIT_EXCEEDED"),
    read(422, "BROKER_LIMIT_EXCEEDED", "rejected", "never"),
    read(422, "BROKER_LIMIT_EXCEEDED", "rejected", "never"),
  ],
  [
    "takes no more calls",
    problem(429, "RATE_LIMITED"),
    read(503, "PROVIDER_UNAVAILABLE", "rejected"),
    read(503, "PROVIDER_UNAVAILABLE", "rejected"),
  ],
];

describe.each(faults)("when the insurer %s", (_, behaviour, expected, expectedOfSubmission) => {
  // Every kind that can be answered so: a document has no form to break.
  const affected: Kind[] = ["lookup", "search", "quote", "document", "submission"];
  it.each(affected)("a %s says what is certain", async (kind) => {
    insurer.behaviour = behaviour;
    insurer.arrivals.length = 0;
    const response = await call(kind);
    const { code, lookup, outcome, retry } = await problemIn(response);
    const said = `${response.status} ${code} ${outcome} ${retry}`;
    if (kind === "submission") expect(said).toBe(expectedOfSubmission);
    // Half a document's bytes are enough to see that it is none.
    else if (kind === "document" && behaviour === half)
      expect(said).toBe(read(502, "PROVIDER_BAD_RESPONSE"));
    else expect(said).toBe(expected);
    expect(insurer.arrivals).toHaveLength(1);
    if (outcome === "unknown" && kind === "submission")
      expect(lookup).toEqual({
        href: expect.stringMatching(/^\/submissions\/[0-9a-f-]{36}$/),
        endpoint: "searchApplications",
        parameters: { clientAfm: { from: "/holder/afm" } },
      });
    if (code !== "OUTCOME_UNKNOWN")
      expect(response.headers.get("retry-after")).toBe(
        code === "PROVIDER_UNAVAILABLE" ? "7" : null,
      );
  });
});

describe("an insurer that cannot be reached", () => {
  it("got nothing, and it is safe to try again, for a submission too", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo; // it listens on TCP
    server.close();
    const unreachable = await startInProcess({
      providers: [insurerConfiguration("d", `http://127.0.0.1:${port}`)],
    });
    const request = specificationRequests().find(({ number }) => number === 4);
    if (request === undefined) throw new Error("The fixture has no submission");
    const response = await sendRequest(unreachable.address, unreachable.token, request);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      code: "PROVIDER_UNREACHABLE",
      outcome: "not_sent",
      retry: "safe",
    });
    await unreachable.stop();
  });
});

describe("an insurer's own words", () => {
  it("do not cross: its problem's code and places do, its texts may quote the customer", async () => {
    insurer.behaviour = problem(422, "PROVIDER_REJECTED", {
      detail: "Μαρία 123456789 is bad",
      errors: [
        { pointer: "/vehicle/modelCode", message: "YARIS unknown" },
        { pointer: "/123456789", message: "x" },
      ],
    });
    const text = await (await call("submission")).text();
    expect(JSON.parse(text)).toMatchObject({
      errors: [
        { pointer: "/vehicle/modelCode", code: "INVALID", message: "was refused by the insurer" },
      ],
    });
    for (const words of ["Μαρία", "123456789", "YARIS"]) expect(text).not.toContain(words);
  });
});
