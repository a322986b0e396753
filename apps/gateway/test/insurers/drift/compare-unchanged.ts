import type { DecodedBody } from "@insurance-gateway/adapter";
import { loadProviderPackage } from "@insurance-gateway/adapter/installation";
import { callAdapter } from "@insurance-gateway/testkit";
import { createCompareAnswer } from "../../../src/insurers/drift/compare-answer.ts";
import { adapterOf, repository } from "../../dialects/speaking.ts";
import { varied } from "./varied-contents.ts";

/** One endpoint of each insurer that has a dialect. */
export const dialectSubjects: readonly DialectSubject[] = [
  { letter: "a", endpoint: "listBrands" },
  { letter: "b", endpoint: "listCountries" },
  { letter: "c", endpoint: "listVehicleUsages" },
  { letter: "d", endpoint: "searchApplications" },
  { letter: "e", endpoint: "calculatePensionQuote" },
];

/** The letter of a provider, and the name of one of the provider's endpoints. */
export interface DialectSubject {
  readonly letter: "a" | "b" | "c" | "d" | "e";
  readonly endpoint: string;
}

/**
 * Compares `answers` different answers, all in the insurer's documented form, with the declaration.
 * @returns the number of compared answers
 * @throws TypeError for the first answer with a difference
 */
export async function compareUnchanged(subject: DialectSubject, answers: number): Promise<number> {
  const { endpoint: name, letter } = subject;
  const found = await loadProviderPackage(repository, `@insurance-gateway/provider-${letter}`);
  if ("fault" in found) throw new TypeError(found.fault);
  const endpoint = found.provider.endpoints[name];
  if (endpoint === undefined) throw new TypeError(`There is no endpoint ${name}`);
  const adapter = await adapterOf(letter);
  const compare = createCompareAnswer();
  const input = {
    query: { clientAfm: "123456789", start: 1, limit: 20 },
    body: { personDob: "1985-04-12", monthlyContribution: 100, durationYears: 20 },
  };
  let compared = 0;
  for (let seed = 0; seed < answers; seed += 1) {
    const bodies: DecodedBody[] = [];
    const { body, mediaType } = varied(letter, seed);
    const { answer } = await callAdapter(
      adapter,
      endpoint,
      input,
      [{ body, headers: { "content-type": mediaType } }],
      { decoded: (one) => void bodies.push(one) },
    );
    if (answer.type !== "value") throw new TypeError(`Answer ${seed} is ${answer.type}`);
    const { status, value: content } = answer;
    const value = { status, mediaType: "application/json", content };
    const differences = compare(endpoint, { bodies, value, isBroken: false });
    if (differences.length > 0) throw new TypeError(`${seed}: ${JSON.stringify(differences)}`);
    compared += bodies.length;
  }
  return compared;
}
