import type { AnswerDeclaration } from "../contract/answers.ts";
import { check } from "../contract/faults.ts";
import { parameterForms } from "../contract/parameter-forms.ts";
import { decodeHeaders } from "../contract/query.ts";

/** Returns the insurer's headers for the caller, unchanged, or null if a header does not match its declaration. */
export function declaredHeaders(
  { headers: schema }: AnswerDeclaration,
  answered: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  if (schema === undefined) return {};
  const forms = parameterForms(schema);
  const { faults, values } = decodeHeaders(answered, forms);
  if (faults.length > 0 || !check(schema, values).valid) return null;
  return Object.fromEntries(Object.keys(values).map((name) => [name, answered[name] ?? ""]));
}
