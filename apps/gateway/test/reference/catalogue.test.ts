import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { declared } from "@insurance-gateway/adapter";
import { providerD } from "@insurance-gateway/provider-d";
import { noDocumentation, packagedDocument, providerDocument } from "@insurance-gateway/reference";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { InstalledProvider } from "../../src/configuration/providers.ts";
import { catalogueOf } from "../../src/reference/catalogue.ts";
import { readReference, referenceOf } from "../../src/reference/endpoint-reference.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "catalogue-"));
  mkdirSync(join(folder, "dist/reference"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const providerA = { ...providerD, id: "provider-a", name: "Provider A", lines: [] };
const packaged = { name: "@example/provider-d", version: "7.0.0" };
const source = {
  provider: providerD,
  package: packaged,
  documentation: noDocumentation,
  examples: {},
};
const own = providerDocument(source);

function installed(): InstalledProvider {
  // The pages read only these fields of a provider.
  return {
    provider: providerD,
    adapter: declared,
    folder,
    segment: "motor",
    settings: { package: "@example/provider-d", failures: [] },
  } as unknown as InstalledProvider;
}

function write(path: string, content: unknown): void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(folder, path), text);
}

/** The reports about unusable documents from the creation of a catalogue. */
const reports: unknown[] = [];
const report = ({ id }: { readonly id: string }, error: unknown): void =>
  void reports.push([id, error instanceof Error ? error.message.replace(folder, "") : error]);
afterEach(() => void reports.splice(0));

describe("the providers in the reference", () => {
  it("the reference lists the served providers and the providers without endpoints, sorted by name", () => {
    write("dist/reference/openapi.json", own);
    write("CHANGELOG.md", "# Changes");
    const undeclared = [
      { ...providerA, endpoints: {} },
      { ...providerA, id: "provider-d", name: "Another D" },
      { ...providerA, id: "motor", name: "Another motor" },
      { ...providerA, id: "provider-z", name: "Provider Z" },
    ];
    const empty = { lines: providerA.lines, document: null, changelog: null };
    expect(catalogueOf([installed()], undeclared, report)).toEqual([
      { id: "provider-a", segment: "provider-a", name: "Provider A", ...empty },
      {
        id: "provider-d",
        segment: "motor",
        name: "Provider D",
        lines: ["motor"],
        document: packagedDocument(source),
        changelog: "# Changes",
      },
      { id: "provider-z", segment: "provider-z", name: "Provider Z", ...empty },
    ]);
    expect(reports).toEqual([]);
  });

  const undescribed = packagedDocument({
    provider: providerD,
    package: { name: "@example/provider-d", version: "0.0.0" },
    documentation: noDocumentation,
    examples: {},
  });
  const { searchApplications } = providerD.endpoints;
  const ofOthers = providerDocument({
    provider: { ...providerD, endpoints: { searchApplications } },
    package: packaged,
    documentation: noDocumentation,
    examples: {},
  });
  it.each([
    ["no document", null, expect.stringMatching(/^ENOENT/)],
    ["a document that is not JSON", "{", expect.stringMatching(/JSON/)],
    [
      "a document of other endpoints",
      ofOthers,
      "/dist/reference/openapi.json does not match the served endpoints",
    ],
  ])(
    "the reference describes a provider by the provider's declarations if the provider package has %s",
    (_, document, message) => {
      if (document !== null) write("dist/reference/openapi.json", document);
      const [provider] = catalogueOf([installed()], [], report);
      expect(provider).toMatchObject({ document: undescribed, changelog: null });
      expect(reports).toEqual([["provider-d", message]]);
    },
  );
});

describe("the description of an endpoint in the reference", () => {
  const { createApplication, searchApplications } = providerD.endpoints;
  const document = {
    paths: {
      "/provider-d/applications": {
        post: {
          summary: "Creates it.",
          requestBody: {
            content: {
              "application/json": {
                schema: { $ref: "#/components/schemas/Motor" },
                examples: {
                  one: { value: { holder: { afm: "1" }, list: [3] } },
                  two: { value: {} },
                },
              },
            },
          },
        },
      },
      "/provider-d/applications/search": {
        get: {
          parameters: [
            { in: "header", name: "clientAfm", description: "Another one." },
            {
              in: "query",
              name: "clientAfm",
              description: "The tax number.",
              examples: { one: { value: "123456789" } },
            },
          ],
        },
      },
    },
    components: {
      schemas: {
        Motor: { properties: { holder: { $ref: "#/components/schemas/Holder" } } },
        Holder: { description: "Who it is.", properties: { afm: { description: "Its number." } } },
      },
    },
  };

  it("the reference finds an endpoint's summary, and the description and example of each value in the endpoint's body", () => {
    const reference = referenceOf(document, createApplication);
    const body = (...keys: readonly string[]) => ({ place: "body", keys }) as const;
    expect(reference.summary).toBe("Creates it.");
    expect(reference.describe(body("holder"))).toBeNull();
    expect(reference.describe(body("holder", "afm"))).toBe("Its number.");
    expect(reference.describe(body("toString"))).toBeNull();
    expect(reference.exampleOf(body())).toEqual({ holder: { afm: "1" }, list: [3] });
    expect(reference.exampleOf(body("holder", "afm"))).toBe("1");
    expect(reference.exampleOf(body("holder", "toString"))).toBeUndefined();
    expect(reference.exampleOf(body("nothing", "afm"))).toBeUndefined();
  });

  it("the reference finds the descriptions of an endpoint's parameters, and describes paging parameters by default", () => {
    const reference = referenceOf(document, searchApplications);
    const query = (name: string) => ({ place: "query", keys: [name] }) as const;
    expect(reference.summary).toBeNull();
    expect(reference.describe(query("clientAfm"))).toBe("The tax number.");
    expect(reference.exampleOf(query("clientAfm"))).toBe("123456789");
    expect(reference.describe(query("start"))).toEqual(expect.any(String));
    expect(reference.describe(query("nothing"))).toBeNull();
    expect(reference.exampleOf(query("nothing"))).toBeUndefined();
  });

  it("the reference finds no descriptions or examples if a provider package has no OpenAPI document", () => {
    expect(readReference({ folder })).toBeNull();
    write("dist/reference/openapi.json", document);
    expect(readReference({ folder })).toEqual(document);
    const reference = referenceOf(null, createApplication);
    const whole = { place: "body", keys: [] } as const;
    expect([reference.summary, reference.describe(whole), reference.exampleOf(whole)]).toEqual([
      null,
      null,
      undefined,
    ]);
  });
});
