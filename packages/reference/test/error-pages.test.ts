import { advicesOf, problemCodes, rareMeanings } from "@insurance-gateway/core/problems";
import { expect, it } from "vitest";
import { problemSchemas } from "../src/document/problem-schema.ts";
import { adviceInWords } from "../src/errors/advice-in-words.ts";
import { codesByStatus as codes } from "../src/errors/code-uses.ts";
import { explanations } from "../src/errors/explanations.ts";
import { errorPage } from "../src/site/errors-pages.ts";
import { outcomesPage } from "../src/site/outcomes-page.ts";
import { sitePaths } from "../src/site/paths.ts";

const rows = codes.flatMap((code) =>
  [true, false].flatMap((acts) => advicesOf(code, acts).map((advice) => [code, advice] as const)),
);

const acted: Readonly<Record<string, RegExp>> = {
  not_sent: /^No\. The insurer never received it/,
  rejected: /^No\. .*refused it/,
  unknown: /^Not known yet/,
  executed: /^Yes/,
};
const again: Readonly<Record<string, RegExp>> = {
  safe: /^Send it again/,
  same_key: /^Send it again with the same `Idempotency-Key`, which never takes effect twice\.$/,
  after_check: /^First find out/,
  never: /^Do not send it again/,
};

it.each(rows)(
  "the page of an error explains outcome and retry advice in words: %s, %o",
  (code, advice) => {
    const [first, second] = adviceInWords(advice);
    expect(first).toMatch(acted[advice.outcome] ?? /^$/);
    expect(second).toMatch(again[advice.retry] ?? /^$/);
    // A changed request or another key would create a second application.
    if (advice.outcome === "executed") expect(second).not.toMatch(/change|key/);
    if (advice.outcome === "unknown" && advice.retry === "never")
      expect(second).toContain("never with another key");
    const steps = explanations[code].next.join(" ");
    if (advice.retry === "after_check") expect(steps).toContain("`reconciliation");
  },
);

it.each(codes)(
  "the page of an error describes the event and the next steps in whole sentences: %s",
  (code) => {
    const { meaning, next } = explanations[code];
    expect(next).not.toEqual([]);
    for (const text of [meaning, ...next]) expect(text).toMatch(/^[`A-Z].+\.$/);
  },
);

it.each(codes)(
  "the page of an error states only once whether the insurer acted and whether a retry is safe, and shows rare cases collapsed: %s",
  (code) => {
    const uses = { providers: [], scenarios: [] };
    const { markup } = errorPage(sitePaths(""), code, uses, "https://gateway.example").main;
    for (const question of ["Did the insurer act?", "Can you send it again?"])
      expect(markup.split(question)).toHaveLength(2);
    const [usual = "", rare = ""] = markup.split("<h2>Rare cases</h2>");
    const { outcome, retry } = problemCodes[code];
    expect(outcomesIn(usual)).toEqual([outcome]);
    expect(usual).toContain(`<dd><code>${retry}</code>`);
    const expected = rareMeanings.filter(({ codes: named }) => named.includes(code));
    const found = rare.match(/<details class="rare">.*?<\/details>/gs) ?? [];
    expect(found.map(outcomesIn)).toEqual(expected.map((one) => [one.outcome]));
    for (const [index, { when }] of expected.entries())
      expect(found[index]?.replaceAll(/<\/?code>/g, "`")).toContain(when.replaceAll("'", "&#39;"));
  },
);

it("the page of an error lists the endpoints that return the error, and the sandbox scenarios of the error", () => {
  const paths = sitePaths("/insurance");
  const pageWith = (count: number): string => {
    const operationIds = Array.from({ length: count }, (_, index) => `list${index}`);
    const providers = [{ name: "Insurer", segment: "insurer", operationIds }];
    const scenario = {
      provider: "provider-d",
      name: "BUSY",
      endpoint: "createApplication",
      effect: "",
      when: null,
      problem: null,
    };
    const uses = { providers, scenarios: [scenario] };
    return errorPage(paths, "PROVIDER_UNAVAILABLE", uses, "https://gateway.example").main.markup;
  };
  expect(pageWith(1)).toContain("<details open><summary>Insurer: 1 endpoint</summary>");
  expect(pageWith(1)).toContain('href="/insurance/reference/providers/insurer/list0"');
  expect(pageWith(64)).toContain("<details><summary>Insurer: 64 endpoints</summary>");
  expect(pageWith(1)).toContain('href="/insurance/reference/sandbox#provider-d-BUSY"');
});

function outcomesIn(markup: string): readonly (string | undefined)[] {
  return [...markup.matchAll(/<code class="outcome (\w+)">/g)].map(([, outcome]) => outcome);
}

it("the reference's page on outcomes names only fields that the gateway's problem answers have", () => {
  const { markup } = outcomesPage(sitePaths("")).main;
  const cells = [...markup.matchAll(/<td class="sentence">(.*?)<\/td>/gs)].map(
    ([, cell = ""]) => cell,
  );
  const named = cells.flatMap((cell) => [...cell.matchAll(/<code>(\w+)(?:\.\w+)?<\/code>/g)]);
  const members = named.map(([, name = ""]) => name).filter((name) => !(name in again));
  expect(members).toContain("insurerId");
  expect(Object.keys(problemSchemas.Problem?.properties ?? {})).toEqual(
    expect.arrayContaining(members),
  );
});
