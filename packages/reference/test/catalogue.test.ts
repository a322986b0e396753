import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  defineProvider,
  type Provider,
  type Quote,
  quote,
  type Read,
  read,
  type Schema,
} from "@insurance-gateway/core/contract";
import { loose, strict, zod } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { readVerified } from "../src/build/provider-package.ts";
import type { Verification } from "../src/document/open-api.ts";
import { noDocumentation } from "../src/documentation/documentation.ts";
import { catalogueOf, catalogueText, packagedDocument } from "../src/index.ts";

interface Party {
  afm: string;
  related: Party[];
}

const party: Schema<Party> = loose<Party>({
  afm: z.string(),
  related: z.array(z.lazy(() => zod(party))),
});

interface Vehicle {
  plate: string;
}

interface Order {
  start_date: string;
  vehicle?: Vehicle;
}

const order: Schema<Order> = strict<Order>({
  start_date: z.string(),
  vehicle: z.exactOptional(zod(strict<Vehicle>({ plate: z.string() }))),
});

const quoteOrder: Quote<{ body: Order; response: Party }> = quote({
  provider: "insurer-x",
  path: "/quotes",
  body: order,
  response: { 200: party },
});

interface Query {
  startDate: string;
}

const readParty: Read<{ query: Query; response: { party: Party; vehicle: Vehicle } }> = read({
  provider: "insurer-y",
  path: "/parties",
  query: strict<Query>({ startDate: z.string() }),
  response: {
    200: loose<{ party: Party; vehicle: Vehicle }>({
      party: zod(party),
      vehicle: zod(loose<Vehicle>({ plate: z.string() })),
    }),
  },
});

type Source = Parameters<typeof catalogueOf>[0][number];

function source(
  id: string,
  endpoints: Provider["endpoints"],
  verified: Readonly<Record<string, Verification>> = {},
): Source {
  const provider = defineProvider({ id, name: id.toUpperCase(), lines: ["motor"], endpoints });
  const document = packagedDocument({
    provider,
    package: { name: id, version: "2.1.0" },
    documentation: noDocumentation,
    examples: {},
    verified,
  });
  return { segment: `real-${id}`, name: provider.name, lines: provider.lines, document };
}

const verified = { quoteOrder: { date: "2026-11-20", environment: "test" } } as const;
const insurers: readonly Source[] = [
  source("insurer-x", { quoteOrder }, verified),
  source("insurer-y", { readParty }),
  { segment: "insurer-z", name: "INSURER-Z", lines: ["life"], document: null },
];

describe("the catalogue of endpoints", () => {
  it("the catalogue lists each provider's endpoints, each with its address and the date of its verification at the insurer", () => {
    expect(catalogueOf(insurers).providers).toEqual([
      {
        segment: "real-insurer-x",
        name: "INSURER-X",
        lines: ["motor"],
        version: "2.1.0",
        endpoints: [
          {
            name: "quoteOrder",
            method: "POST",
            path: "/real-insurer-x/quotes",
            kind: "quote",
            summary: "quoteOrder",
            verified: { date: "2026-11-20", environment: "test" },
          },
        ],
      },
      expect.objectContaining({
        segment: "real-insurer-y",
        endpoints: [expect.objectContaining({ name: "readParty", kind: "read", verified: null })],
      }),
      { segment: "insurer-z", name: "INSURER-Z", lines: ["life"], version: null, endpoints: [] },
    ]);
  });

  it("the catalogue lists fields that several providers have, even in different naming styles, and whether requests require each field", () => {
    const fields = catalogueOf(insurers).sharedFields;
    const uses = (name: string): unknown => fields.find((field) => field.name === name)?.uses;
    expect(uses("start_date")).toEqual([
      { segment: "real-insurer-x", request: "required", inAnswers: false },
      { segment: "real-insurer-y", request: "required", inAnswers: false },
    ]);
    // A field of an optional object is optional.
    expect(uses("vehicle.plate")).toEqual([
      { segment: "real-insurer-x", request: "optional", inAnswers: false },
      { segment: "real-insurer-y", request: null, inAnswers: true },
    ]);
    // At the second insurer, `afm` is inside `party` and therefore another field.
    expect(uses("afm")).toBeUndefined();
  });

  it("the catalogue lists at most three nested levels of a schema that refers to itself", () => {
    const twice = [
      source("insurer-x", { quoteOrder }),
      source("insurer-w", { quoteOrder: { ...quoteOrder, provider: "insurer-w" } }),
    ];
    const names = catalogueOf(twice).sharedFields.map(({ name }) => name);
    expect(names).toContain("related[].related[].afm");
    expect(Math.max(...names.map((name) => name.split("[]").length))).toBeLessThan(5);
  });

  it("the catalogue's page has a row for each endpoint and each field that several providers have", () => {
    const page = catalogueText(catalogueOf(insurers));
    expect(page).toContain(
      "| `quoteOrder` | `POST /real-insurer-x/quotes` | quote | quoteOrder | 2026-11-20, test environment |",
    );
    expect(page).toContain("| readParty | never |");
    expect(page).toContain("| `vehicle.plate` | string | r | a |");
    expect(page).toContain("No endpoint is declared yet for insurer-z.");
  });
});

describe("verified.json", () => {
  const readText = (content: string | null): unknown => {
    const folder = mkdtempSync(join(tmpdir(), "verified-"));
    try {
      if (content !== null) writeFileSync(join(folder, "verified.json"), content);
      return readVerified(folder, ["readParty"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const record = { date: "2026-11-20", environment: "production" };

  it("a package's verified.json records the endpoints that were tested at the real insurer", () => {
    expect(readText(JSON.stringify({ readParty: record }))).toEqual({ readParty: record });
    expect(readText(null)).toEqual({});
  });

  it.each([
    [{ quoteOrder: record }, /quoteOrder, which is not an endpoint/],
    [{ readParty: { ...record, date: "20 November" } }, /readParty must have a `date`/],
    [{ readParty: { ...record, date: "2026-13-40" } }, /readParty must have a `date`/],
    [{ readParty: { ...record, environment: "mine" } }, /an `environment`, "production" or "test"/],
    [{ readParty: { ...record, by: "me" } }, /and nothing else/],
  ])("a package build rejects a verified.json that is not valid: %j", (content, message) => {
    expect(() => readText(JSON.stringify(content))).toThrow(message);
  });
});
