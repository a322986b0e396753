import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { runsInProcess } from "./in-process.ts";

const providers = [
  { package: "@insurance-gateway/provider-a", segment: "acme", upstream: "sandbox" },
  { package: "@insurance-gateway/provider-d", upstream: "sandbox" },
];
const folder: GatewayFolder = makeGatewayFolder();
const run = runsInProcess({ folder: folder.path, address: "" });
afterAll(() => folder.remove());
beforeEach(() => {
  folder.writeConfiguration({ providers, listen: { port: 8443, basePath: "/insurance" } });
});

/** Returns the addresses in a printed OpenAPI document or index. */
async function addressesOf(...parameters: readonly string[]): Promise<readonly string[]> {
  const { code, stderr, stdout } = await run(["openapi", ...parameters]);
  expect([code, stderr]).toEqual([0, ""]);
  // The JSON is indented.
  expect(stdout).toMatch(/^\{\n {2}"/);
  return stdout.match(/https?:\/\/[^"\s]*\/insurance[^"\s]*/g) ?? [];
}

describe("the command `openapi`", () => {
  it.each([
    [[], "http://127.0.0.1:8443/insurance"],
    [["--address", "https://api.example/insurance"], "https://api.example/insurance"],
    [["--address", "https://api.example/insurance//"], "https://api.example/insurance"],
  ])(
    "the command `openapi` writes the gateway's address into each OpenAPI document and the index: %j, address %s",
    async (flags, address) => {
      const document = await addressesOf("acme", ...flags);
      expect(document).toContain(address);
      const index = await addressesOf(...flags);
      for (const name of ["acme", "provider-d"])
        expect(
          index.some((one) => one.startsWith(address) && one.endsWith(`/${name}/openapi.json`)),
        ).toBe(true);
      for (const one of [...document, ...index]) expect(one.startsWith(address)).toBe(true);
    },
  );

  it("the command `openapi` writes the configured public address (`reference.address`) into an OpenAPI document", async () => {
    folder.writeConfiguration({
      providers,
      listen: { basePath: "/insurance" },
      reference: { address: "https://public.example/insurance" },
    });
    expect(await addressesOf("provider-d")).toContain("https://public.example/insurance");
  });

  it("the command `openapi` writes an https address into an OpenAPI document if the gateway has a certificate", async () => {
    const tls = { certificate: { env: "CERTIFICATE" }, key: { env: "KEY" } };
    folder.writeConfiguration({
      providers,
      listen: { port: 8443, basePath: "/insurance", tls },
    });
    expect(await addressesOf("provider-d")).toContain("https://127.0.0.1:8443/insurance");
  });

  it("the command `openapi` prints the OpenAPI document of one provider, selected by segment or ID", async () => {
    const [bySegment, byId, other] = [
      await run(["openapi", "acme"]),
      await run(["openapi", "provider-a"]),
      await run(["openapi", "provider-d"]),
    ];
    expect(bySegment?.stdout).toBe(byId?.stdout);
    expect(Object.keys(JSON.parse(bySegment?.stdout ?? "").paths)).toEqual(["/acme/auto/brands"]);
    expect(JSON.parse(other?.stdout ?? "").info.title).toBe("Provider D");
  });
});

describe("the command `collections`", () => {
  const files = ["postman.json", "postman-environment.json", "bruno.zip"];

  it("the command `collections` writes the request collections of all providers into a folder, and prints the file names", async () => {
    const { code, stdout } = await run(["collections", "--out", "deep/folder"]);
    expect([code, stdout]).toEqual([0, files.map((file) => `deep/folder/${file}\n`).join("")]);
    const read = (file: string): string =>
      readFileSync(join(folder.path, "deep/folder", file), "latin1");
    expect(read("postman.json")).toContain("auto/brands");
    expect(read("postman.json")).toContain("applications");
    expect(read("postman-environment.json")).toContain("http://127.0.0.1:8443/insurance");
    expect(read("bruno.zip").slice(0, 2)).toBe("PK");
  });

  it("the command `collections` writes the request collections of one provider into the default folder, and replaces files", async () => {
    for (const name of ["acme", "provider-d"]) {
      const { code } = await run([
        "collections",
        name,
        "--address",
        "https://api.example/insurance",
      ]);
      const text = readFileSync(join(folder.path, "collections/postman.json"), "utf8");
      expect([code, text.includes("auto/brands")]).toEqual([0, name === "acme"]);
    }
    expect(
      readFileSync(join(folder.path, "collections/postman-environment.json"), "utf8"),
    ).toContain("https://api.example/insurance");
  });

  it("the command `collections` writes nothing if the provider is unknown or --out names a file", async () => {
    writeFileSync(join(folder.path, "file"), "mine");
    const unknown = await run(["collections", "provider-x", "--out", "new"]);
    const file = await run(["collections", "--out", "file"]);
    expect([unknown.code, unknown.stderr, existsSync(join(folder.path, "new"))]).toEqual([
      2,
      expect.stringContaining("unknown provider"),
      false,
    ]);
    expect([file.code, file.stderr, readFileSync(join(folder.path, "file"), "utf8")]).toEqual([
      2,
      expect.stringContaining("file is a file; name a folder"),
      "mine",
    ]);
  });
});
