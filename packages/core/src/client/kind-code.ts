import type { Endpoint } from "../contract/endpoint.ts";
import { kindPolicies } from "../contract/kinds.ts";
import { ConfigurationError } from "../errors/index.ts";
import type { TransportResponse } from "../transport/transport.ts";
import type { WithResponse } from "./call.ts";
import type { ReportFailure } from "./hooks.ts";
import { isObjectOrList } from "./object-or-list.ts";
import type { CallInput } from "./request.ts";
import type { SubmissionCode } from "./submission-code.ts";

/** Sends the input of a call and reads its answer. */
export type SendAndRead = <Data>(
  input: CallInput,
  read: (response: TransportResponse) => Promise<Data>,
) => Promise<WithResponse<Data>>;

/**
 * Client code for one kind of endpoint. An endpoint carries the code of its kind, so that a calling program bundles no
 * code for kinds that it does not call. A lookup, a read and a quote need no code.
 */
export interface KindCode {
  /**
   * Makes a call whose result is more than the value of one answer: a file, or pages. `run` reports the failures of its
   * requests, and `report` reports later failures.
   */
  readonly call?: (
    endpoint: Endpoint,
    input: CallInput,
    run: SendAndRead,
    report: ReportFailure,
  ) => unknown;
  readonly submissions?: SubmissionCode;
}

/**
 * Property with the code of an endpoint's kind. The number in the property's name changes with `KindCode`, so that an
 * endpoint of another version does not have this property.
 */
export const kindCode: unique symbol = Symbol.for("insurance-gateway.kind-code.1");

/** Kinds whose endpoints carry code. */
export const kindsWithCode: readonly string[] = ["document", "search", "submission"];

/**
 * Returns the code that an endpoint carries.
 * @throws ConfigurationError if the value is not an endpoint, or if another version of this package declared the
 *   endpoint
 */
export function kindCodeOf(endpoint: unknown): KindCode {
  const kind: unknown = isObjectOrList(endpoint) && "kind" in endpoint ? endpoint.kind : undefined;
  if (!isObjectOrList(endpoint) || typeof kind !== "string" || !Object.hasOwn(kindPolicies, kind))
    throw new ConfigurationError([
      "the endpoint must be one that a provider's package exports, such as createApplication",
    ]);
  // Only `declare` sets this property.
  const code: KindCode | undefined = Reflect.get(endpoint, kindCode);
  if (code === undefined && kindsWithCode.includes(kind))
    throw new ConfigurationError([
      "the endpoint was declared with another version of @insurance-gateway/core: install matching versions of its package and core",
    ]);
  return code ?? {};
}
