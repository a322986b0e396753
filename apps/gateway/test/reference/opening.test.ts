import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { declared } from "@insurance-gateway/adapter";
import { providerD } from "@insurance-gateway/provider-d";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DevelopmentIssuer } from "../../src/callers/development-issuer.ts";
import type { Configuration } from "../../src/configuration/load.ts";
import type { InstalledProvider } from "../../src/configuration/providers.ts";
import { configurationSchema } from "../../src/configuration/schema.ts";
import type { RequestHead } from "../../src/http/exchange.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import {
  type OpenedReference,
  type OpenReferenceParts,
  openReference,
} from "../../src/reference/open-reference.ts";

let folder: string;
let lines: unknown[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "reference-"));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function configurationWith(sections: object = {}): Configuration {
  const file = configurationSchema.parse({
    providers: [{ package: "x", upstream: "sandbox" }],
    ...sections,
  });
  // The reference reads only these fields of a configuration.
  return { ...file, folder, workspace: false } as unknown as Configuration;
}

async function open(
  sections: object = {},
  more: Partial<OpenReferenceParts> = {},
): Promise<OpenedReference | null> {
  // The pages read only these fields of a provider.
  const installed = {
    provider: providerD,
    adapter: declared,
    folder,
    segment: "provider-d",
    settings: { package: "x", failures: [] },
  } as unknown as InstalledProvider;
  const opened = await openReference({
    configuration: configurationWith(sections),
    installed: [installed],
    insurers: { scenarios: null },
    logger: createLogger({
      write(line) {
        const { time: _time, ...fields } = JSON.parse(line);
        lines.push(fields);
      },
    }),
    ...more,
  });
  opened?.listensAt("http://127.0.0.1:1");
  return opened;
}

// The reference only checks whether there is a development issuer.
const development = { sign: async () => "token" } as unknown as DevelopmentIssuer;

/** Returns the content of a page of the reference. */
async function pageOf(opened: OpenedReference | null, path: string): Promise<string> {
  const found = await opened?.with(configurationWith(), null).find("GET", path);
  // A page reads only these fields of a request.
  const head = { method: "GET", headers: {} } as RequestHead;
  return String((await found?.answer({ head }))?.content);
}

describe("the opening of the reference", () => {
  it("the reference tries to read the reference's files again after an error", async () => {
    // The folder makes the reference fail, because a folder cannot be read as a file.
    const changelog = join(folder, "CHANGELOG.md");
    mkdirSync(changelog);
    const opened = await open();
    const reference = opened?.with(configurationWith(), null);
    await expect(reference?.find("GET", "/reference")).rejects.toThrow("EISDIR");
    rmdirSync(changelog);
    expect(await reference?.find("GET", "/reference")).toMatchObject({ template: "/reference" });
  });

  it("the gateway does not open the reference if the configuration switches the reference off", async () => {
    expect(await open({ reference: { served: false } })).toBeNull();
  });

  it("the reference serves only paths below `/reference` after the gateway's base path", async () => {
    const opened = await open({ listen: { basePath: "/insurance" } });
    const reference = opened?.with(configurationWith(), null);
    for (const path of ["/reference", "/insurance", "/insurance/referenceless", "/other"])
      expect(reference?.find("GET", path), path).toBeNull();
    for (const [path, template] of [
      ["/insurance/reference", "/reference"],
      ["/insurance/reference/", "/reference/"],
      ["/insurance/reference/errors", "/reference/errors"],
      ["/insurance/reference/nothing", "/reference/*"],
    ])
      expect(await reference?.find("GET", path ?? "")).toMatchObject({ template });
  });

  it("the reference logs an unusable document of a provider only once", async () => {
    const opened = await open();
    for (const path of ["/reference", "/reference/errors"])
      await opened?.with(configurationWith(), null).find("GET", path);
    await opened
      ?.with(configurationWith({ limits: { bodyBytes: 2_048 } }), null)
      .find("GET", "/reference");
    expect(lines).toEqual([
      {
        level: 40,
        provider: "provider-d",
        failure: { kind: "Error", places: expect.any(Array) },
        msg: "a provider's OpenAPI document cannot be used",
      },
    ]);
  });

  it("the reference's pages are created again after a reload only if limits or the availability of development tokens change", async () => {
    const opened = await open();
    const first = opened?.with(configurationWith(), null);
    expect(opened?.with(configurationWith(), null)).toBe(first);
    const second = opened?.with(configurationWith({ limits: { bodyBytes: 2_048 } }), null);
    expect(second).not.toBe(first);
    const third = opened?.with(configurationWith({ limits: { bodyBytes: 2_048 } }), development);
    expect(third).not.toBe(second);
  });

  it("the printed address of the reference contains a secret only if the gateway issues development tokens", async () => {
    const opened = await open();
    expect(opened?.fragment()).toBe("");
    opened?.with(configurationWith(), development);
    expect(opened?.fragment()).toMatch(/^#start=[\w-]{43}$/);
    opened?.with(configurationWith(), null);
    expect(opened?.fragment()).toBe("");
    const behind = await open({ listen: { trustedProxies: ["10.0.0.1"] } });
    behind?.with(configurationWith(), development);
    expect(behind?.fragment()).toBe("");
  });

  it("the reference's pages contain the public address, or the listening address if none is configured", async () => {
    expect(await pageOf(await open(), "/reference/llms.txt")).toContain(
      "http://127.0.0.1:1/reference/providers/provider-d/",
    );
    const opened = await open({ reference: { address: "https://insurers.example" } });
    expect(await pageOf(opened, "/reference/llms.txt")).toContain(
      "https://insurers.example/reference/providers/provider-d/",
    );
  });

  it("the reference shows the scenarios of simulated insurers with the scenarios' trigger values", async () => {
    const scenario = {
      provider: "provider-d",
      endpoint: "createApplication",
      effect: "It is refused.",
      problem: null,
    };
    const opened = await open(
      {},
      {
        insurers: {
          scenarios: [
            {
              ...scenario,
              name: "refused",
              when: { pointer: "/body/holder/afm", equals: "000000000" },
            },
            { ...scenario, name: "slow", when: null },
          ],
        },
      },
    );
    const page = await pageOf(opened, "/reference/sandbox");
    expect(page).toContain("<code>holder.afm</code> is <code>000000000</code>");
    expect(page).toContain("slow");
  });
});
