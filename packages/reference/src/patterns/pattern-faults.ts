import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { answersOf, bodyOf } from "@insurance-gateway/core/runtime";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import { isFastPattern, MAX_QUADRATIC_LENGTH } from "./pattern-cost.ts";

/**
 * Finds patterns in a provider's schemas that take so long for some texts that they could block the process. A provider
 * with such a pattern can be neither built nor released.
 * @returns each fault as one line with the name of the endpoint
 */
export function patternFaults({ endpoints, settings }: Provider<object>): readonly string[] {
  const isFast = cachedJudge();
  const faultsIn = (part: string, schema: z.core.$ZodType): readonly string[] =>
    patternsIn(schema)
      .filter(({ maxLength, pattern }) => !isFast(pattern, maxLength))
      .map(
        ({ pattern }) =>
          `${part}: the pattern ${String(pattern)} takes more than linear time; simplify it, or, if it takes quadratic time, limit the text with a \`maxLength\` of at most ${MAX_QUADRATIC_LENGTH}`,
      );
  const declared = Object.entries<Endpoint>({ ...endpoints });
  const faults = [
    ...(settings === undefined ? [] : faultsIn("settings", zod(settings))),
    ...declared.flatMap(([name, endpoint]) =>
      schemasOf(endpoint).flatMap((schema) => faultsIn(name, schema)),
    ),
  ];
  return [...new Set(faults)];
}

function schemasOf(endpoint: Endpoint): readonly z.core.$ZodType[] {
  const { headers, params, query } = endpoint;
  return [
    ...[params, query, headers].filter((schema) => schema !== undefined),
    ...Object.values(bodyOf(endpoint)?.media ?? {}),
    ...answersOf(endpoint).flatMap(([, { media }]) => Object.values(media)),
  ].map(zod);
}

/** A pattern, and the maximum length of the texts matched against it. */
interface DeclaredPattern {
  readonly pattern: RegExp;
  readonly maxLength: number | undefined;
}

/** Finds the patterns of a schema and of all nested schemas. */
function patternsIn(schema: z.core.$ZodType): readonly DeclaredPattern[] {
  const found: DeclaredPattern[] = [];
  z.toJSONSchema(schema, {
    unrepresentable: "any",
    override({ jsonSchema, zodSchema: { _zod: internals } }) {
      const { maxLength, propertyNames } = jsonSchema;
      for (const { _zod: check } of internals.def.checks ?? [])
        if ("pattern" in check.def && check.def.pattern instanceof RegExp)
          found.push({ pattern: check.def.pattern, maxLength });
      if (typeof propertyNames === "object" && propertyNames.pattern !== undefined)
        found.push({ pattern: new RegExp(propertyNames.pattern, "u"), maxLength: undefined });
    },
  });
  return found;
}

/** Returns a function that judges each pattern only once. */
function cachedJudge(): typeof isFastPattern {
  const known = new Map<string, boolean>();
  return (pattern, maxLength) => {
    const key = `${String(pattern)} ${(maxLength ?? Number.POSITIVE_INFINITY) <= MAX_QUADRATIC_LENGTH}`;
    const isFast = known.get(key) ?? isFastPattern(pattern, maxLength);
    known.set(key, isFast);
    return isFast;
  };
}
