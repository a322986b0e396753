import type { PublishedEnvelope } from "@insurance-gateway/adapter";
import { check } from "@insurance-gateway/core/contract";
import { hasEnvelope } from "../operations/envelope.ts";
import type { ImportedEndpoint } from "../operations/model.ts";
import type { LossReport } from "../report.ts";
import type { Definition } from "../schemas/model.ts";
import type { SchemaOf } from "../schemas/zod-of.ts";
import { withoutUndeclaredFields } from "./fitted.ts";

/**
 * Reports examples of an answer that are not valid against the answer's schema: if real answers are like these
 * examples, every call fails.
 */
export function reportContradictions(
  { answers: [first], examples, operation, pointer }: ImportedEndpoint,
  schemaOf: SchemaOf,
  envelope: PublishedEnvelope | undefined,
  report: LossReport,
): void {
  const definition = first?.media[0]?.definition;
  if (first === undefined || definition === undefined) return;
  // The example of an answer with an envelope may show an error.
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

/** Maximum number of reported faults per example. */
const MAX_REPORTED_FAULTS = 5;

/** Lists the faults of the examples against the schema: `/note must be a text`. */
function exampleFaults(
  examples: readonly unknown[],
  definition: Definition,
  schemaOf: SchemaOf,
): readonly string[] {
  const faults = examples.flatMap((example) => {
    const checked = check(
      schemaOf(definition),
      withoutUndeclaredFields(definition.node, example, schemaOf),
    );
    return checked.valid ? [] : checked.faults.slice(0, MAX_REPORTED_FAULTS);
  });
  return [...new Set(faults.map(({ message, pointer }) => `${pointer || "the whole"} ${message}`))];
}
