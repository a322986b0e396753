import type { Endpoint, Example } from "@insurance-gateway/core/contract";
import type { ExampleObject } from "./open-api.ts";

/** The examples of one endpoint by name, regardless of their types. */
export type NamedExamples = Readonly<Record<string, Example<Endpoint>>>;

/** Returns one part (such as the body) of each example, and omits examples without this part. */
export function examplesOf(
  examples: NamedExamples,
  value: (example: Example<Endpoint>) => unknown,
): Readonly<Record<string, ExampleObject>> {
  const entries = Object.entries(examples).flatMap(([name, example]) => {
    const shown = value(example);
    return shown === undefined ? [] : [[name, { summary: example.summary, value: shown }] as const];
  });
  return Object.fromEntries(entries);
}
