import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  KEY_PLACEHOLDER,
  type OpenApiDocument,
  operationsOf,
  snippetsOf,
  TOKEN_PLACEHOLDER,
} from "@insurance-gateway/reference";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RecordedGateway, startRecordedGateway } from "./harness/recorded-gateway.ts";
import { runners, runProgram } from "./runners.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const providers = ["a", "b", "c", "d", "e"].map((letter) => `provider-${letter}`);
let gateway: RecordedGateway;
let folder: string;

interface Snippet {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly success: string;
  readonly lang: string;
  readonly source: string;
}

/** The code snippets of the endpoint pages, with the token inserted. */
let snippets: readonly Snippet[];

beforeAll(async () => {
  gateway = await startRecordedGateway();
  folder = mkdtempSync(join(tmpdir(), "snippets-"));
  mkdirSync(join(folder, "node_modules/@insurance-gateway"), { recursive: true });
  for (const name of ["core", ...providers])
    symlinkSync(
      join(repository, "packages", name),
      join(folder, "node_modules/@insurance-gateway", name),
    );
  const lists = await Promise.all(providers.map((provider) => snippetsOfProvider(provider)));
  snippets = lists.flat();
  gateway.recorder.takeRecorded();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

async function snippetsOfProvider(segment: string): Promise<readonly Snippet[]> {
  const { address } = gateway;
  const response = await fetch(`${address}/reference/providers/${segment}/openapi.json`);
  // The tests of tooling/openapi check the shape of this document.
  const document = (await response.json()) as OpenApiDocument;
  return operationsOf(document).flatMap((placed) =>
    snippetsOf(placed, document, { address, segment }).map(({ lang, source }) => ({
      name: placed.operation.operationId,
      method: placed.method,
      path: placed.path,
      success: Object.keys(placed.operation.responses)[0] ?? "",
      lang,
      source: source
        .replaceAll(TOKEN_PLACEHOLDER, gateway.token)
        .replaceAll(KEY_PLACEHOLDER, () => randomUUID()),
    })),
  );
}

it("every endpoint has snippets for this project's client, curl and ten languages, and these tests run all snippets", () => {
  const byEndpoint = Map.groupBy(snippets, ({ name }) => name);
  expect(byEndpoint.size).toBe(7);
  for (const list of byEndpoint.values()) {
    expect(list[0]?.lang).toBe("typescript");
    expect(list[1]?.lang).toBe("shell");
    expect(list.map(({ lang }) => lang).toSorted()).toEqual(
      runners.map(({ lang }) => lang).toSorted(),
    );
  }
});

it("every code snippet contains the gateway's address and token, and snippets for createApplication contain the example's values", () => {
  for (const { lang, name, source } of snippets) {
    expect(source, `${name} ${lang}`).toContain(gateway.address.replace("http://", ""));
    expect(source, `${name} ${lang}`).toContain(gateway.token);
    if (name === "createApplication") expect(source, lang).toContain("Ελένη Παπαδοπούλου");
  }
});

describe.each(runners)("snippets for $lang", (runner) => {
  it("the snippet of every endpoint runs and receives the documented answer", async () => {
    const own = snippets.filter(({ lang }) => lang === runner.lang);
    expect(own).toHaveLength(7);
    for (const { method, name, path, source, success } of own) {
      const place = join(folder, `${runner.lang}-${name}`);
      mkdirSync(place);
      symlinkSync(join(folder, "node_modules"), join(place, "node_modules"));
      const files = { ...runner.beside, [runner.file]: runner.prepare(source) };
      for (const [file, content] of Object.entries(files)) {
        mkdirSync(dirname(join(place, file)), { recursive: true });
        writeFileSync(join(place, file), content);
      }
      for (const command of runner.commands) {
        const { code, output } = await runProgram(command, place);
        expect(code, `${name}: ${command.join(" ")}\n${output}`).toBe(0);
      }
      expect(gateway.recorder.takeRecorded(), name).toEqual([
        { method, path: path.split("?")[0], status: Number(success) },
      ]);
    }
  });
});
