import {
  type GatewayFolder,
  makeGatewayFolder,
  sandboxConfiguration,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Insurer, json, startInsurer } from "./gateway.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

/** A server that replaces the operations address, with answers that the test sets. */
let operator: Insurer;
let folder: GatewayFolder;
let run: RunInProcess;
let from: readonly string[];
beforeAll(async () => {
  operator = await startInsurer(json(200, {}));
  from = ["--from", operator.baseUrl];
});
afterAll(() => operator.close());
beforeEach(() => {
  folder = makeGatewayFolder(sandboxConfiguration);
  run = runsInProcess({ folder: folder.path, address: "" });
  operator.arrivals.length = 0;
  return () => folder.remove();
});

const HOUR = 3_600_000;
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR).toISOString();

function difference(more: object): object {
  return {
    segment: "provider-d",
    endpoint: "createApplication",
    pointer: "/a",
    kind: "added",
    breaking: false,
    count: 7,
    firstAt: "2026-11-01T00:00:00.000Z",
    lastAt: "2026-11-02T00:00:00.000Z",
    ...more,
  };
}

describe("the command `drift`", () => {
  it("the command `drift` prints a table of the differences between answers and declarations that the operations address reports", async () => {
    operator.behaviour = json(200, {
      items: [difference({ pointer: "" }), difference({ kind: "type", breaking: true })],
    });
    const { code, stderr, stdout } = await run(["drift", ...from]);
    expect(operator.arrivals.map(({ method, url }) => [method, url])).toEqual([
      ["GET", "/api/drift"],
    ]);
    expect([code, stderr]).toEqual([6, ""]);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ["provider", "endpoint", "place", "difference", "breaking", "count", "first", "last"],
      [
        "provider-d",
        "createApplication",
        "/",
        "added",
        "no",
        "7",
        "2026-11-01T00:00:00.000Z",
        "2026-11-02T00:00:00.000Z",
      ],
      [
        "provider-d",
        "createApplication",
        "/a",
        "type",
        "yes",
        "7",
        "2026-11-01T00:00:00.000Z",
        "2026-11-02T00:00:00.000Z",
      ],
    ]);
  });

  it.each([
    [[], ["/new", "/old"], 6],
    [["--hours", "2.5"], ["/new"], 0],
    [["--hours", "5"], ["/new", "/old"], 6],
    [["--hours", "0.5"], [], 0],
  ])(
    "the list and the exit code of `drift` with --hours depend only on the differences of the last hours: %j",
    async (flags, places, code) => {
      const items = [
        difference({ pointer: "/new", lastAt: ago(2) }),
        difference({ pointer: "/old", lastAt: ago(4), breaking: true }),
      ];
      operator.behaviour = json(200, { items });
      const ended = await run(["drift", "--json", ...flags, ...from]);
      expect(JSON.parse(ended.stdout).map(({ pointer }: { pointer: string }) => pointer)).toEqual(
        places,
      );
      expect(ended.code).toBe(code);
    },
  );

  it.each([["0"], ["-1"], ["1h"], ["1."], [""]])(
    "the command `drift` refuses an invalid number of hours: '%s'",
    async (hours) => {
      const { code, stderr } = await run(["drift", `--hours=${hours}`, ...from]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("must be a number of hours")]);
    },
  );
});

describe("the command `answers`", () => {
  const counted = {
    segment: "provider-d",
    endpoint: "createApplication",
    status: 409,
    mediaType: "application/json",
    code: "E-17",
    at: "/error/code",
    count: 3,
    firstAt: "2026-11-01T00:00:00.000Z",
    lastAt: "2026-11-02T00:00:00.000Z",
  };
  const unnamed = { ...counted, mediaType: "", code: null, at: null };

  it("the command `answers` prints insurers' counted error answers as a table, as JSON or as drafts of `failures` rows", async () => {
    operator.behaviour = json(200, { items: [counted, unnamed] });
    const table = await run(["answers", ...from]);
    const whole = await run(["answers", "--json", ...from]);
    const rows = await run(["answers", "--rows", ...from]);
    expect(operator.arrivals.map(({ url }) => url)).toEqual([
      "/api/answers",
      "/api/answers",
      "/api/answers",
    ]);
    expect(
      table.stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ["provider", "endpoint", "status", "media type", "code", "count", "first", "last"],
      [
        "provider-d",
        "createApplication",
        "409",
        "application/json",
        "E-17",
        "3",
        counted.firstAt,
        counted.lastAt,
      ],
      ["provider-d", "createApplication", "409", "-", "-", "3", counted.firstAt, counted.lastAt],
    ]);
    expect(JSON.parse(whole.stdout)).toEqual([counted, unnamed]);
    expect(JSON.parse(rows.stdout)).toEqual([
      {
        endpoint: "createApplication",
        status: 409,
        media: "application/json",
        at: "/error/code",
        is: ["E-17"],
        code: "PROVIDER_REJECTED",
        outcome: "unknown",
        why: "",
      },
    ]);
  });

  it("the command `answers --rows` omits an insurer's error answer without a code or without the place of the code", async () => {
    const items = [unnamed, { ...counted, at: null }, { ...counted, code: null }];
    operator.behaviour = json(200, { items });
    expect((await run(["answers", "--rows", ...from])).stdout).toBe("[]\n");
  });

  it("the command `answers` prints a sentence instead of a table if every error answer matched a `failures` row", async () => {
    operator.behaviour = json(200, { items: [] });
    expect((await run(["answers", ...from])).stdout).toBe(
      "Every error answer since the gateway's start matched a row of failures.\n",
    );
    expect((await run(["answers", "--json", ...from])).stdout).toBe("[]\n");
  });
});

describe("the operations address", () => {
  const tls = { certificate: { env: "CERTIFICATE" }, key: { env: "KEY" } };

  it.each([
    [{ port: 1 }, "http://127.0.0.1:1"],
    [{ host: "0.0.0.0", port: 1 }, "http://127.0.0.1:1"],
    [{ host: "::", port: 1 }, "http://[::1]:1"],
    [{ host: "::1", port: 1 }, "http://[::1]:1"],
    [{ host: "127.0.0.2", port: 1 }, "http://127.0.0.2:1"],
    [{ names: ["localhost"], port: 1 }, "http://127.0.0.1:1"],
    [{ names: ["localhost"], port: 1, tls }, "https://localhost:1"],
    [{ port: 1, tls }, "https://127.0.0.1:1"],
    [{ host: "::", port: 1, tls }, "https://[::1]:1"],
  ])(
    "the command `drift` uses the configured operations address if --from is not given: %j",
    async (operations, address) => {
      folder.writeConfiguration({ ...sandboxConfiguration, operations });
      const { code, stderr, stdout } = await run(["drift"]);
      expect([code, stdout, stderr]).toEqual([
        69,
        "",
        `No gateway answers at ${address}: start a gateway, or set --from to its operations address.\n`,
      ]);
    },
  );

  it.each([
    ["an error status", json(503, { items: [] })],
    ["a text that is not JSON", json(200, "<html>")],
  ])(
    "the command `answers` reports that no gateway answers if the operations address returns %s",
    async (_, behaviour) => {
      operator.behaviour = behaviour;
      const { code, stderr } = await run(["answers", "--from", `${operator.baseUrl}//`]);
      expect([code, stderr]).toEqual([69, expect.stringContaining("No gateway answers at ")]);
      expect(operator.arrivals.at(-1)?.url).toBe("/api/answers");
    },
  );
});
