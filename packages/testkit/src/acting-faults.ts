import type { Endpoint } from "@insurance-gateway/core/contract";
import { kindPolicies } from "@insurance-gateway/core/runtime";
import { type CallResult, SUBMISSION_ID } from "./dialect-insurer.ts";

/**
 * Finds submissions without exactly one request on which the insurer acts, and other calls with such a request. The
 * gateway derives from `acts` whether the insurer may have acted if an answer is lost.
 * @param carried - calls whose requests reached a handler of the sandbox
 */
export function actingFaults(
  name: string,
  endpoint: Endpoint,
  endpoints: Readonly<Record<string, Endpoint>>,
  { arrived, seen }: CallResult,
): readonly string[] {
  const acting = seen.filter(({ acts }) => acts);
  if (!kindPolicies[endpoint.kind].actsAtInsurer) {
    const submissions = arrived.filter((one) => endpoints[one.endpoint]?.kind === "submission");
    return [
      ...(acting.length === 0 ? [] : ["its adapter marks a request as acting (`acts: true`)"]),
      ...submissions.map(
        ({ endpoint: other }) => `its adapter must not call the submission ${other}`,
      ),
    ];
  }
  const own = seen.filter(({ handler }) => handler === name);
  if (own.length === 0) return [];
  const isNamed = own.some(({ text }) => text.includes(SUBMISSION_ID));
  const others = arrived.filter(({ reference }) => (reference ?? SUBMISSION_ID) !== SUBMISSION_ID);
  return [
    ...(own.length === 1
      ? []
      : [
          `its adapter sends the submission ${own.length} times, so that the insurer would act ${own.length} times`,
        ]),
    ...(own.every(({ acts }) => acts)
      ? []
      : [
          "its adapter marks the request that the insurer carries out with `acts: false`: after a lost answer, the gateway would send it again",
        ]),
    ...(acting.length <= own.length
      ? []
      : [
          "its adapter marks a request as acting that its sandbox does not carry out: mark it with `acts: false`",
        ]),
    ...(endpoint.idempotency !== "native" || isNamed
      ? []
      : [
          'its adapter does not send the reference of the submission (`submissionId`), by which an insurer with `idempotency: "native"` recognises it',
        ]),
    ...others.map(
      ({ reference }) =>
        `its insurer reads the gateway's reference for the submission as ${reference}`,
    ),
  ];
}
