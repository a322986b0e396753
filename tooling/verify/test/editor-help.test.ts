import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { repository } from "./harness/markdown.ts";

/** The path of a file in the example application, which depends on core and the providers. The file need not exist. */
const FILE = join(repository, "apps/broker/src/typed.ts");
const TEXT = `import { createGateway, type GatewayError } from "@insurance-gateway/core";
import { providerD } from "@insurance-gateway/provider-d";
const client = createGateway({ baseUrl: "" }).provider(providerD);
client.createApplication;
declare const error: GatewayError;
if (error.code === "") {}
if (error.code === "A_CODE_OF_A_NEWER_GATEWAY") {}
`;

/** The TypeScript language service of an editor, with the built packages. */
const service = ts.createLanguageService({
  getScriptFileNames: () => [FILE],
  getScriptVersion: () => "1",
  getScriptSnapshot: (name) => {
    const text = name === FILE ? TEXT : ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => repository,
  getCompilationSettings: () => ({
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => name === FILE || ts.sys.fileExists(name),
  readFile: (name) => ts.sys.readFile(name),
});

it("an editor shows the endpoint's comment at a method of the client", () => {
  const shown = service.getQuickInfoAtPosition(FILE, TEXT.indexOf("createApplication;"));
  expect(ts.displayPartsToString(shown?.documentation)).toBe("Creates a motor application.");
});

it("an editor completes the codes of errors, and unknown codes compile", () => {
  const found = service.getCompletionsAtPosition(FILE, TEXT.indexOf('=== ""') + 5, {});
  const names = found?.entries.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["PROVIDER_UNAVAILABLE", "CONNECTION_FAILED"]));
  const faults = service.getSemanticDiagnostics(FILE).map(({ messageText }) => messageText);
  expect(faults).toEqual([]);
});

it("an editor opens the source of an endpoint's declaration", () => {
  const folder = join(repository, "packages/provider-d/dist/endpoints");
  const map: { sources: readonly string[] } = JSON.parse(
    readFileSync(join(folder, "create-application.d.ts.map"), "utf8"),
  );
  expect(map.sources).toEqual(["../../src/endpoints/create-application.ts"]);
});
