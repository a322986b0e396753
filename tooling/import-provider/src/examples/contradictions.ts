import type { PublishedEnvelope } from "@insurance-gateway/adapter";
import { check } from "@insurance-gateway/core/contract";
import { hasEnvelope } from "../operations/envelope.ts";
import type { ImportedEndpoint } from "../operations/model.ts";
import type { LossReport } from "../report.ts";
import type { Definition } from "../schemas/model.ts";
import type { SchemaOf } from "../schemas/zod-of.ts";
import { fitted } from "./fitted.ts";

/** Reports examples of an answer that its schema refuses: if the insurer answers so, every such call fails. */
export function reportContradictions(
  { answers: [first], examples, operation, pointer }: ImportedEndpoint,
  schemaOf: SchemaOf,
  envelope: PublishedEnvelope | undefined,
  report: LossReport,
): void {
  const definition = first?.media[0]?.definition;
  if (first === undefined || definition === undefined) return;
  // An example in an envelope may be that of an error.
  if (envelope !== undefined && hasEnvelope(first, envelope)) return;
  const faults = exampleFaults(examples.answer, definition, schemaOf);
  if (faults.length > 0)
    report.add({
      operation,
      pointer,
      effect: `An example of the answer contradicts its schema: ${faults.join("; ")}. If the insurer answers so, the call fails: make these fields optional or nullable in the overlay.`,
      severity: "doubtful",
    });
}

/** The most faults of one example that are named. */
const MOST_FAULTS = 5;

/** Where the examples of an answer contradict its schema: `/note must be a text`. */
function exampleFaults(
  examples: readonly unknown[],
  definition: Definition,
  schemaOf: SchemaOf,
): readonly string[] {
  const faults = examples.flatMap((example) => {
    const checked = check(schemaOf(definition), fitted(definition.node, example, schemaOf));
    return checked.valid ? [] : checked.faults.slice(0, MOST_FAULTS);
  });
  return [...new Set(faults.map(({ message, pointer }) => `${pointer || "the whole"} ${message}`))];
}
