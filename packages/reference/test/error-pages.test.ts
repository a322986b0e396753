import { advicesOf, type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import { expect, it } from "vitest";
import { problemSchemas } from "../src/document/problem-schema.ts";
import { explanations } from "../src/errors/explanations.ts";
import { adviceInWords } from "../src/site/errors-pages.ts";
import { outcomesPage } from "../src/site/outcomes-page.ts";
import { sitePaths } from "../src/site/paths.ts";

const rows = Object.keys(problemCodes)
  .filter((code): code is ProblemCode => code in problemCodes)
  .flatMap((code) =>
    [true, false].flatMap((acts) => advicesOf(code, acts).map((advice) => [code, advice] as const)),
  );

const acted: Readonly<Record<string, RegExp>> = {
  not_sent: /^No\. The insurer never received it/,
  rejected: /^No\. .*refused it/,
  unknown: /^(Not known yet|The gateway did not send this request\. It could not find out)/,
  executed: /^Yes/,
};
const again: Readonly<Record<string, RegExp>> = {
  safe: /^Yes: send it again/,
  same_key: /^Yes, with the same `Idempotency-Key`, which never takes effect twice\.$/,
  after_check: /^First find out/,
  never: /^No/,
};

it.each(rows)("the page of %s says what %o means", (code, advice) => {
  const [first, second] = adviceInWords(code, advice);
  expect(first).toMatch(acted[advice.outcome] ?? /^$/);
  expect(second).toMatch(again[advice.retry] ?? /^$/);
  const steps = explanations[code].next.join(" ");
  if (advice.retry === "after_check") expect(steps).toContain("`reconciliation");
});

it("no page promises that a submission is sent only once, because a repeatable one is sent once more", () => {
  const texts = [
    ...Object.values(explanations).flatMap(({ meaning, next }) => [meaning, ...next]),
    ...rows.flatMap(([code, advice]) => adviceInWords(code, advice)),
  ];
  expect(
    texts.filter((text) => /\b(gets|reaches|receives|sent|sends)\b.*\btwice\b/i.test(text)),
  ).toEqual([]);
});

it("the page on outcomes says what to do with members that a problem has", () => {
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
