import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Arrival, type Behaviour, json } from "./gateway.ts";
import { applicationFlags } from "./program.ts";
import { problem, type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.ts";

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.server.arrivals.length = 0;
  gateway.server.behaviour = brands;
});

const brands: Behaviour = json(200, { items: [{ code: "TOY", name: "Toyota" }] });
const page = { items: [], start: 1, limit: 20, total: 0 };
const application = {
  applicationId: "D-7",
  status: "RECEIVED",
  statusReasons: [],
  policy: { startDate: "2026-12-01", endDate: "2027-12-01", policyNumber: null },
  vehicle: { plateNumber: "ΙΚΥ1234", manufacturerCode: "TOY", modelCode: "YARIS" },
  holder: { afm: "123456789", fullName: "Ελένη Παπαδοπούλου" },
  premium: null,
  payment: null,
  documents: [],
  createdAt: "2026-11-01T08:00:00Z",
  updatedAt: "2026-11-01T08:00:00Z",
};
const created = json(201, application, {
  location: "/api/submissions/s-1",
  "x-request-id": "req-1",
});
const list = ["call", "provider-a", "listBrands"];
const create = ["call", "provider-d", "createApplication", ...applicationFlags("123456789")];
const search = ["call", "provider-d", "searchApplications", "--client-afm=123456789"];
const token = { GATEWAY_TOKEN: "t" };

function arrival(index = -1): Arrival {
  const found = gateway.server.arrivals.at(index);
  if (found === undefined) throw new Error("Nothing has arrived");
  return found;
}

describe("the command `call`", () => {
  it("the command `call` sends the flags' values as body and headers, with the token of the environment", async () => {
    gateway.server.behaviour = created;
    const { code, stdout } = await gateway.run([...create, "--idempotency-key=k-1"], {
      environment: token,
    });
    expect([code, JSON.parse(stdout)]).toEqual([0, application]);
    const { body, headers, method, url } = arrival();
    expect([method, url]).toEqual(["POST", "/api/provider-d/applications"]);
    expect(JSON.parse(body)).toEqual({
      policy: { startDate: "2026-12-01", endDate: "2027-12-01" },
      vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
      holder: { afm: "123456789", fullName: "Ελένη Παπαδοπούλου" },
    });
    expect(headers).toMatchObject({ authorization: "Bearer t", "idempotency-key": "k-1" });
    expect(headers).not.toHaveProperty("x-sandbox-scenario");
  });

  it("the flag --scenario becomes the header X-Sandbox-Scenario", async () => {
    await gateway.run([...list, "--scenario=SLOW"], { environment: token });
    expect(arrival().headers["x-sandbox-scenario"]).toBe("SLOW");
  });

  it("the command `call` finds a provider by segment or ID, and sends the request to the provider's segment", async () => {
    const provider = { package: "@insurance-gateway/provider-a", segment: "acme" };
    const other = await startScriptedGateway({ providers: [{ ...provider, upstream: "sandbox" }] });
    other.server.behaviour = brands;
    for (const name of ["acme", "provider-a"]) {
      const { code } = await other.run(["call", name, "listBrands"], { environment: token });
      expect([code, other.server.arrivals.at(-1)?.url]).toEqual([0, "/api/acme/auto/brands"]);
    }
    await other.close();
  });

  it("the command `call` prints a generated idempotency key only once, before the submission is sent", async () => {
    const reported: string[] = [];
    let reportedBefore = "";
    gateway.server.behaviour = (response, request) => {
      reportedBefore ||= reported.join("");
      const isFirst = gateway.server.arrivals.length === 1;
      const unavailable = problem(
        [503, "STORE_UNAVAILABLE", "not_sent", "safe"],
        {},
        { "retry-after": "0" },
      );
      (isFirst ? unavailable : created)(response, request);
    };
    const { stderr } = await gateway.run(create, {
      environment: token,
      reported: (text) => reported.push(text),
    });
    const sent = String(arrival().headers["idempotency-key"]);
    const [, key] = /^"([0-9a-f-]{36})";generated$/.exec(sent) ?? [];
    expect([reportedBefore, stderr]).toEqual([
      `Idempotency-Key: ${key}\n`,
      `Idempotency-Key: ${key}\n`,
    ]);
    expect(gateway.server.arrivals.length).toBe(2);
  });

  it("the command `call` prints no idempotency key if the user gave the key or the call is not a submission", async () => {
    gateway.server.behaviour = created;
    const given = await gateway.run([...create, "--idempotency-key=k-1"], { environment: token });
    gateway.server.behaviour = brands;
    const none = await gateway.run(list, { environment: token });
    expect([given.stderr, none.stderr]).toEqual(["", ""]);
  });

  it("the flag --verbose prints each request, and selected headers of each answer", async () => {
    const headers = {
      "x-request-id": "req-1",
      "server-timing": "insurer;dur=7",
      ratelimit: '"a";r=9',
      "ratelimit-policy": '"a";q=10',
      "retry-after": "0",
      "proxy-status": "x",
      "idempotency-replayed": "true",
      age: "7",
      location: "/submissions/s-1",
      "x-customer": "Maria",
    };
    gateway.server.behaviour = (response, request) => {
      const isFirst = gateway.server.arrivals.length === 1;
      const behaviour = isFirst
        ? problem([503, "OVERLOADED", "not_sent", "safe"], {}, { "retry-after": "0" })
        : json(200, page, headers);
      behaviour(response, request);
    };
    const { code, stderr } = await gateway.run([...search, "--verbose"], { environment: token });
    expect([code, stderr.replaceAll(/after \d+ ms/g, "after 1 ms")]).toEqual([
      0,
      [
        "GET /provider-d/applications/search",
        "  503 after 1 ms",
        "  retry-after: 0",
        "GET /provider-d/applications/search",
        "  200 after 1 ms",
        "  x-request-id: req-1",
        "  server-timing: insurer;dur=7",
        '  ratelimit: "a";r=9',
        '  ratelimit-policy: "a";q=10',
        "  retry-after: 0",
        "  proxy-status: x",
        "  idempotency-replayed: true",
        "  age: 7",
        "  location: /submissions/s-1",
        "",
      ].join("\n"),
    ]);
  });

  it("the flag --verbose prints the idempotency key, the path and then the reason why the request has no answer", async () => {
    gateway.server.behaviour = (response) => response.socket?.destroy();
    const { code, stderr } = await gateway.run([...create, "--verbose", "--timeout=0.4"], {
      environment: token,
    });
    expect(code).toBe(4);
    expect(stderr).toMatch(/^Idempotency-Key: \S+\nPOST \/provider-d\/applications\n {2}\S.*\n/);
    expect(stderr.match(/Idempotency-Key:/g)).toHaveLength(1);
  });

  it.each([
    [[], false, '{\n  "items": [\n'],
    [[], true, "\u001b[1mcode\u001b[22m  \u001b[1mname\u001b[22m\nTOY   Toyota\n"],
    [["--output=json"], true, '{\n  "items": [\n'],
    [["--output=table"], false, "code  name\nTOY   Toyota\n"],
  ])(
    "the command `call` prints a table on a terminal and JSON elsewhere, unless --output is given: %j, terminal %s, output %j",
    async (flags, terminal, text) => {
      const { stdout } = await gateway.run([...list, ...flags], { environment: token, terminal });
      expect(stdout.slice(0, text.length)).toBe(text);
    },
  );

  it.each([
    ["a list", 0, "", brands, list],
    [
      "a submission",
      5,
      "error: the insurer acted, but the answer could not be written\n  what happened  standard output cannot be written (EPIPE)\n  the insurer    carried it out (executed)\n  its identifier D-7\n  key            k-1\n",
      created,
      [...create, "--idempotency-key=k-1"],
    ],
  ] as const)(
    "the command `call` with a closed output fails only if the call is a submission: %s, exit code %s",
    async (_, code, said, behaviour, parameters) => {
      gateway.server.behaviour = behaviour;
      const outputError = Object.assign(new Error("no"), { code: "EPIPE" });
      const ended = await gateway.run(parameters, { environment: token, outputError });
      expect(ended.code).toBe(code);
      expect(ended.stderr.slice(0, said.length || undefined)).toBe(said);
    },
  );

  it("a submission whose answer cannot be written is reported as JSON with the idempotency key and the identifiers", async () => {
    gateway.server.behaviour = created;
    const outputError = Object.assign(new Error("no"), { code: "ENOSPC" });
    const parameters = [...create, "--idempotency-key=k-1", "--output=json"];
    const { code, stderr } = await gateway.run(parameters, { environment: token, outputError });
    expect([code, JSON.parse(stderr)]).toMatchObject([
      5,
      {
        retry: "same_key",
        idempotencyKey: "k-1",
        submissionId: "s-1",
        requestId: "req-1",
        insurerId: "D-7",
      },
    ]);
  });

  it.each([["SIGINT"], ["SIGTERM"]] as const)(
    "the command `call` cancels the call and removes the signal's listener after the signal %s",
    async (signal) => {
      gateway.server.behaviour = () => process.emit(signal);
      const listening = process.listenerCount(signal);
      const { code, stderr } = await gateway.run(create, { environment: token });
      expect([code, stderr]).toEqual([4, expect.stringMatching(/^error: CANCELLED$/m)]);
      expect(process.listenerCount(signal)).toBe(listening);
    },
  );

  it("the command `call` ends with exit code 4 after the time of --timeout, and the report names this flag", async () => {
    gateway.server.behaviour = () => {};
    const { code, stderr } = await gateway.run([...list, "--timeout=0.05"], { environment: token });
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/^error: TIMEOUT\n.*--timeout sets how long/),
    ]);
  });
});

describe("a search with the command `call`", () => {
  const items = (numbers: readonly number[]): readonly object[] =>
    numbers.map((number) => ({ ...application, applicationId: `D-${number}` }));
  const pages: Behaviour = (response, request) => {
    const { searchParams } = new URL(request.url, "http://gateway");
    const start = Number(searchParams.get("start") ?? 1);
    const limit = Number(searchParams.get("limit") ?? 20);
    const found = items([1, 2, 3]).slice(start - 1, start - 1 + limit);
    json(200, { items: found, start, limit, total: 3 })(response, request);
  };

  it("the command `call` prints only the requested page of a search", async () => {
    gateway.server.behaviour = pages;
    const first = await gateway.run([...search, "--limit=2"], { environment: token });
    expect(JSON.parse(first.stdout)).toMatchObject({ start: 1, limit: 2, total: 3 });
    // A request that timed out in an earlier test may arrive only now.
    const searches = gateway.server.arrivals.filter(({ url }) => url.includes("/search"));
    expect(searches).toHaveLength(1);
  });

  it("the command `call` with --all prints every page of a search from the position that --start names", async () => {
    gateway.server.behaviour = pages;
    const { stdout, stderr } = await gateway.run([...search, "--limit=1", "--start=2", "--all"], {
      environment: token,
    });
    const { items: found, ...rest } = JSON.parse(stdout);
    expect(found.map((one: { applicationId: string }) => one.applicationId)).toEqual([
      "D-2",
      "D-3",
    ]);
    expect([rest, stderr]).toEqual([{ start: 2, total: 3 }, ""]);
  });
});
