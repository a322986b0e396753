import type { Checked, Endpoint, Example } from "@insurance-gateway/core/contract";
import { type CheckedInput, compareEchoes } from "@insurance-gateway/core/runtime";
import { normaliserFaults } from "./reconcile-faults.ts";

/**
 * Finds parameters in `echoes` that no example repeats in its items, or whose value differs in an item of an example.
 * Without this check, the gateway could refuse an insurer's correct lists.
 * @param examples - each example, with its request after the gateway's check
 */
export function echoFaults(
  endpoint: Endpoint,
  examples: readonly (readonly [request: Checked<CheckedInput>, example: Example<Endpoint>])[],
): readonly string[] {
  return Object.entries(endpoint.echoes ?? {}).flatMap(([name, field]) => {
    const one = { ...endpoint, echoes: { [name]: field } };
    const compared = examples.flatMap(([request, { response }]) =>
      request.valid ? [compareEchoes(one, request.value, response)] : [],
    );
    return [
      ...normaliserFaults(field),
      ...(compared.some(({ isCompared }) => isCompared)
        ? []
        : [
            `an example must have an item that repeats the parameter ${name}, as \`echoes\` declares`,
          ]),
      ...compared
        .flatMap(({ different }) => different)
        .map((place) => `an example's items must repeat the parameter ${name} at ${place}`),
    ];
  });
}
