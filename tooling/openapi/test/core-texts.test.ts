import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { problemCodes } from "@insurance-gateway/core/problems";
import { namedRules, pageParameterInWords } from "@insurance-gateway/core/runtime";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const { title } = problemCodes.VALIDATION_FAILED;
const CHANGED = "This title of a problem has changed";

it("a changed problem title in core changes every reference page with that title, but no provider's published document", async () => {
  const script = fileURLToPath(new URL("harness/changed-core.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@insurance-gateway/source", script, title, CHANGED],
    { cwd: root, maxBuffer: 64 * 1024 * 1024 },
  );
  const {
    published,
    served,
  }: Record<"published" | "served", Record<string, string>> = JSON.parse(stdout);
  for (const [file, text] of Object.entries(published))
    expect(text, file).toBe(readFileSync(join(root, file), "utf8"));
  const withTitle = Object.keys(served).filter((path) => served[path]?.includes(CHANGED));
  expect(withTitle).toEqual(
    expect.arrayContaining([
      "/reference/errors",
      "/reference/errors/VALIDATION_FAILED",
      ...["a", "b", "c", "d", "e"].map((id) => `/reference/providers/provider-${id}/openapi.json`),
    ]),
  );
  // Guides are written by hand and quote an answer.
  const derived = Object.keys(served).filter((path) => !path.startsWith("/reference/guides/"));
  expect(derived.filter((path) => served[path]?.includes(title))).toEqual([]);
});

it("published documents of providers do not contain texts of core", () => {
  const texts = [
    ...Object.values(problemCodes).map((code) => code.title),
    ...Object.values(namedRules).map(({ message }) => message),
    ...["start", "limit"].map((name) => pageParameterInWords({ kind: "search" }, name) ?? ""),
  ];
  for (const file of globSync("packages/provider-*/openapi.json", { cwd: root })) {
    const text = readFileSync(join(root, file), "utf8");
    const found = texts.filter((one) => text.includes(JSON.stringify(one).slice(1, -1)));
    expect(found, file).toEqual([]);
  }
});
