import {
  type Adapter,
  codes,
  dateText,
  jsonDialect,
  type Mapping,
  plainText,
} from "@insurance-gateway/adapter";
import { type AnySandbox, jsonAnswer } from "@insurance-gateway/adapter/sandbox";
import { describe, expect, it } from "vitest";
import { conformanceFaults } from "../src/index.ts";
import {
  type Calls,
  calls,
  drawing,
  examples,
  listed,
  madeRows,
  policyRows,
  provider,
  sandbox,
} from "./translated-provider.ts";

function adapterWith(change: Partial<Calls>): Adapter {
  return jsonDialect(provider, { failures: [], calls: { ...calls, ...change } });
}

/** Returns rows with changes: a row replaces the row of the same declared field, and a field's name removes it. */
function rowsWith(rows: Mapping, ...changed: readonly (Mapping[number] | string)[]): Mapping {
  const named = new Set(changed.map((row) => (Array.isArray(row) ? row[0] : row)));
  const added = changed.filter((row) => typeof row !== "string");
  return [...rows.filter((row) => !(Array.isArray(row) && named.has(row[0]))), ...added];
}

function policyCall(...changed: readonly (Mapping[number] | string)[]): Partial<Calls> {
  const fields = rowsWith(policyRows, ...changed);
  return { createPolicy: { ...calls.createPolicy, body: [{ group: ["/body", ""], fields }] } };
}

function answerCall(...changed: readonly (Mapping[number] | string)[]): Partial<Calls> {
  return { createPolicy: { ...calls.createPolicy, value: rowsWith(madeRows, ...changed) } };
}

/** Returns the faults of the provider with an adapter. */
function faultsOf(adapter: Adapter, insurer: AnySandbox = drawing): Promise<readonly string[]> {
  return conformanceFaults({ id: "provider-m", provider, examples, sandbox: insurer, adapter });
}

describe("the round-trip check of a package's adapter", () => {
  it("the round-trip check finds no fault if the adapter and the sandbox translate all fields equally", async () => {
    expect(await faultsOf(adapterWith({}))).toEqual([]);
  });

  it.each<[string, Partial<Calls>, RegExp]>([
    [
      "a request field that the adapter omits",
      policyCall("/city"),
      /^createPolicy: its insurer refuses a valid request: \//,
    ],
    [
      "an optional request field that the adapter omits",
      policyCall("/note"),
      /^createPolicy: its request arrives with nothing at \/body\/note, and has "/,
    ],
    [
      "two request fields that the adapter swaps",
      policyCall(["/holder", "/town", plainText], ["/city", "/name", plainText]),
      /^createPolicy: its request arrives with ".*" at \/body\/holder, and has "/,
    ],
    [
      "a date in the request with swapped day and month",
      policyCall(["/from", "/since", dateText("MM/dd/yyyy")]),
      /^createPolicy: its request arrives with "\d{4}-\d\d-\d\d" at \/body\/from, and has "/,
    ],
    [
      "a query list that the adapter writes as one text",
      {
        listModels: {
          ...calls.listModels,
          query: [["/query/ids", "/ids", { ...listed, write: String }]],
        },
      },
      /^listModels: its request arrives with \["[A-Z]{2},[A-Z,]+"\] at \/query\/ids, and has \["/,
    ],
    [
      "an answer field that the adapter omits",
      answerCall("/city"),
      /^createPolicy: its adapter's answer is not valid: \/city is required/,
    ],
    [
      "an optional answer field that the adapter omits",
      answerCall("/note"),
      /^createPolicy: its answer arrives with nothing at \/note, and has "/,
    ],
    [
      "two answer fields that the adapter swaps",
      answerCall(["/holder", "/town", plainText], ["/city", "/name", plainText]),
      /^createPolicy: its answer arrives with ".*" at \/holder, and has "/,
    ],
    [
      "an answer field that the adapter reads twice",
      answerCall(["/city", "/name", plainText]),
      /^createPolicy: its answer arrives with ".*" at \/city, and has "/,
    ],
    [
      "a date in the answer with swapped day and month",
      answerCall(["/from", "/since", dateText("MM/dd/yyyy")]),
      /^createPolicy: its answer arrives with "\d{4}-\d\d-\d\d" at \/from, and has "/,
    ],
    [
      "an untranslated status, even if the sandbox's handler never answers with this status",
      answerCall(["/state", "/state", codes({ O: "OPEN" })]),
      /^createPolicy: its adapter reads the insurer's 201 as unreadable: .* at \/state/,
    ],
    [
      "a request path that the insurer does not have",
      { listModels: { ...calls.listModels, path: "/api/model" } },
      /^listModels: its sandbox's dialect has no route GET \/api\/model$/,
    ],
    [
      "a field for which the adapter cannot write any value",
      policyCall(["/city", "/town", codes({})]),
      /^createPolicy: its adapter can send none of its requests: \/city$/,
    ],
  ])("the round-trip check of an adapter reports this fault: %s", async (_, change, fault) => {
    expect(await faultsOf(adapterWith(change))).toContainEqual(expect.stringMatching(fault));
  });

  it("the round-trip check reports an answer field that the adapter reads twice, even if the sandbox's handler refuses every call", async () => {
    const problem = { code: "PROVIDER_REJECTED", detail: "" };
    const handlers = { ...drawing.handlers, createPolicy: () => ({ status: 422, problem }) };
    expect(
      await faultsOf(adapterWith(answerCall(["/city", "/name", plainText])), {
        ...drawing,
        handlers,
      }),
    ).toContainEqual(
      expect.stringMatching(/^createPolicy: its answer arrives with ".*" at \/city, and has "/),
    );
  });

  it("the round-trip check accepts an adapter if the insurer's dialect cannot express some values", async () => {
    const short = {
      ...plainText,
      write: (ours: unknown) => (String(ours).length < 6 ? ours : undefined),
    };
    expect(await faultsOf(adapterWith(policyCall(["/city", "/town", short])))).toEqual([]);
  });

  it("the round-trip check reports a document that arrives with other bytes, and a refusal that the adapter returns as a document", async () => {
    const content = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from("%PDF-1.7");
    };
    const right = adapterWith({});
    const wrong: Adapter = {
      ...right,
      async call(endpoint, input, send, context) {
        const answer = await right.call(endpoint, input, send, context);
        return endpoint.kind === "document"
          ? { type: "document", mediaType: "application/pdf", content: content() }
          : answer;
      },
    };
    expect(await faultsOf(wrong)).toEqual([
      "terms: its document does not reach the gateway with the same bytes",
    ]);
    const [refused] = (await faultsOf(wrong, sandbox)).slice(-1);
    expect(refused).toBe("terms: its adapter reads the refusal DOCUMENT_NOT_FOUND as an answer");
  });

  it("the round-trip check reports an adapter that throws, and a sandbox that cannot write an answer", async () => {
    const throwing: Adapter = {
      ...adapterWith({}),
      call: () => Promise.reject(new TypeError("no rows")),
    };
    expect(await faultsOf(throwing)).toContain(
      "listModels: its adapter, or its sandbox's dialect, throws TypeError: no rows",
    );
    const { dialect = { routes: [] } } = drawing;
    const routes = dialect.routes.map((route) => ({ ...route, write: () => jsonAnswer(500, {}) }));
    expect(await faultsOf(adapterWith({}), { ...drawing, dialect: { routes } })).toContain(
      "listModels: its sandbox's dialect can write no valid answer",
    );
  });

  it("the conformance check requires the package's adapter if the sandbox has a dialect", async () => {
    expect(
      await conformanceFaults({ id: "provider-m", provider, examples, sandbox: drawing }),
    ).toEqual([
      "its sandbox has a dialect: give the package's `adapter`, so that its round trip can be made",
    ]);
  });
});
