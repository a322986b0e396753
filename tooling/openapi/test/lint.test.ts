import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { hasLimitingFormat, indexDocument, type JsonSchema } from "@insurance-gateway/reference";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import owasp from "@stoplight/spectral-owasp-ruleset";
import rulesets from "@stoplight/spectral-rulesets";
import { describe, expect, it } from "vitest";
import { makeDocuments, makeOwnDocument } from "../src/documents.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const documents = [await makeOwnDocument(root), ...(await makeDocuments(root))];
const redocly = join(
  dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json")),
  "bin/cli.js",
);

/**
 * Returns all findings of Spectral's and OWASP's rules for OpenAPI, of every severity. A missing `maxLength` is not a
 * finding if the format of the text already limits the text, as for a date.
 */
async function spectralFindings(text: string): Promise<readonly string[]> {
  const linter = new spectral.Spectral();
  // The rule sets are for this version of Spectral, but their types are for a version that did not accept a bare rule
  // set.
  const extended = [rulesets.oas, owasp] as unknown as RulesetDefinition[];
  linter.setRuleset({ extends: extended });
  const document: Readonly<Record<string, unknown>> = JSON.parse(text);
  const findings = (await linter.run(document)).filter(
    ({ code, path }) => code !== STRING_LIMIT || !hasLimitingFormat(schemaAt(document, path)),
  );
  return findings.map(({ code, message, path }) => `${code} ${path.join(".")}: ${message}`);
}

const STRING_LIMIT = "owasp:api4:2023-string-limit";

/** Returns the schema at a path and follows references. */
function schemaAt(document: object, path: readonly (string | number)[]): JsonSchema {
  return path.reduce<JsonSchema>(
    (node, key) => {
      const { ...found }: JsonSchema = Object(node[key]);
      return found.$ref === undefined ? found : schemaAt(document, found.$ref.split("/").slice(1));
    },
    { ...document },
  );
}

/** Returns Redocly's report on a document with its recommended rules. */
async function redoclyReport(
  text: string,
  beside: Readonly<Record<string, string>> = {},
): Promise<{ problems: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "openapi-lint-"));
  try {
    for (const [name, content] of Object.entries({ ...beside, "openapi.json": text }))
      writeFileSync(join(folder, name), content);
    const run = promisify(execFile)(
      process.execPath,
      [redocly, "lint", "openapi.json", "--format=json"],
      {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      },
    ).catch((error: { readonly stdout: string; readonly stderr: string }) => error);
    const { stdout } = await run;
    const report: { problems: readonly { ruleId: string; message: string }[] } = JSON.parse(stdout);
    return { problems: report.problems.map(({ message, ruleId }) => `${ruleId}: ${message}`) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.each(documents)("the completed document $file", ({ document }) => {
  const text = JSON.stringify(document);

  it("Spectral's and OWASP's rules report no fault in an OpenAPI document that the gateway serves", async () => {
    expect(await spectralFindings(text)).toEqual([]);
  });

  it("Redocly reports no fault in an OpenAPI document that the gateway serves", async () => {
    expect((await redoclyReport(text)).problems).toEqual([]);
  });
});

describe("the index document of all providers", () => {
  const providers = documents.map(({ document }) => {
    const { id, lines, name } = document.info["x-provider"];
    return { id, segment: id, name, lines, document, changelog: null };
  });
  const index = JSON.stringify(
    indexDocument(providers, "https://gateway.example", (segment) => `${segment}.json`),
  );
  const beside = Object.fromEntries(
    documents.map(({ document, source }) => [
      `${source.provider.id}.json`,
      JSON.stringify(document),
    ]),
  );

  it("Redocly reports no fault in the OpenAPI index of all providers and in the documents to which the index refers", async () => {
    expect((await redoclyReport(index, beside)).problems).toEqual([]);
  });

  it("Spectral's and OWASP's rules report no fault in the OpenAPI index of all providers outside the member `paths`", async () => {
    // Other tests of this file check the documents to which the paths refer; Spectral would load these documents from
    // the gateway.
    const findings = await spectralFindings(index);
    expect(findings.filter((finding) => !/^\S+ paths\./.test(finding))).toEqual([]);
  });
});

describe("a faulty OpenAPI document", () => {
  const text = JSON.stringify(documents[0]?.document);

  it("Spectral's and OWASP's rules report a missing `maxLength` and a missing `operationId`", async () => {
    const faulty = text
      .replaceAll('"maxLength"', '"x-maxLength"')
      .replace('"operationId"', '"x-id"');
    const findings = (await spectralFindings(faulty)).join("\n");
    expect(findings).toContain(STRING_LIMIT);
    expect(findings).toContain("operation-operationId");
  });

  it("Redocly reports a missing `operationId`", async () => {
    const { problems } = await redoclyReport(text.replace('"operationId"', '"x-id"'));
    expect(problems.join("\n")).toContain("operation-operationId");
  });
});
