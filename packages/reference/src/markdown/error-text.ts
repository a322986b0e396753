import { type ProblemCode, problemCodes, rareMeanings } from "@insurance-gateway/core/problems";
import { adviceInWords } from "../errors/advice-in-words.ts";
import { type CodeUses, codesByStatus } from "../errors/code-uses.ts";
import { explanations } from "../errors/explanations.ts";
import { usualProblem } from "../site/errors-pages.ts";
import type { SitePaths } from "../site/paths.ts";

/** Writes the page of a problem code as Markdown. */
export function errorText(
  paths: SitePaths,
  code: ProblemCode,
  { providers, scenarios }: CodeUses,
  origin: string,
): string {
  const { outcome, retry, status, title } = problemCodes[code];
  const { meaning, next } = explanations[code];
  const rare = rareMeanings.filter(({ codes }) => codes.includes(code));
  const inWords = (advice: Parameters<typeof adviceInWords>[0]): string =>
    `outcome \`${advice.outcome}\`, retry \`${advice.retry}\`: ${adviceInWords(advice).join(" ")}`;
  return `${[
    `# ${code}`,
    `Status ${status}. ${title}.`,
    meaning,
    `Usually: ${inWords({ outcome, retry })}`,
    "## What to do next",
    next.map((step, index) => `${index + 1}. ${step}`).join("\n"),
    ...(rare.length === 0
      ? []
      : ["## Rare cases", rare.map((one) => `- ${one.when}: ${inWords(one)}`).join("\n")]),
    "## Example",
    `\`\`\`json\n${usualProblem(paths, code, origin)}\n\`\`\``,
    ...(scenarios.length === 0
      ? []
      : [
          "## Sandbox",
          scenarios
            .map(
              ({ endpoint, name, when }) =>
                `- \`${name}\` of \`${endpoint}\`${when === null ? "" : `: ${when}`}`,
            )
            .join("\n"),
        ]),
    ...(providers.length === 0
      ? []
      : [
          "## Endpoints that return it",
          providers
            .map(({ name, operationIds }) => `- ${name}: ${operationIds.join(", ")}`)
            .join("\n"),
        ]),
  ].join("\n\n")}\n`;
}

/** Returns all problem codes as data for `errors.json`. */
export function errorList(paths: SitePaths, origin: string): readonly object[] {
  return codesByStatus.map((code) => {
    const { call, outcome, retry, status, title } = problemCodes[code];
    const rare = rareMeanings.filter(({ codes }) => codes.includes(code));
    return {
      code,
      status,
      title,
      type: origin + paths.error(code),
      meaning: explanations[code].meaning,
      next: explanations[code].next,
      meanings: [
        { call, outcome, retry, when: null },
        ...rare.map(({ call, outcome, retry, when }) => ({ call, outcome, retry, when })),
      ],
    };
  });
}
