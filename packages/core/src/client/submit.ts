import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import type { SubmissionResult } from "../errors/outcome-unknown-error.ts";
import type { TransportResponse } from "../transport/transport.ts";
import { readAnswer } from "./answer.ts";
import { argumentFaults, isObjectNotList } from "./argument.ts";
import type { WithResponse } from "./call.ts";
import { createStoredKey, isKeyStore } from "./key-store.ts";
import type { UncheckedInput } from "./request.ts";
import { resultOfAnswer, resultOfError } from "./submission-results.ts";

/** Checks a request, sends it and reads its answer. */
type SendCheckedCall = <Data>(
  input: UncheckedInput,
  faults: readonly Fault[],
  read: (response: TransportResponse) => Promise<Data>,
  beforeSending: () => Promise<void>,
) => Promise<WithResponse<Data>>;

/** Stores the key that the calling program chose, sends a submission with this key and returns the result. */
export function submit(
  endpoint: Endpoint,
  argument: unknown,
  exchange: SendCheckedCall,
): Promise<SubmissionResult> {
  const given: Partial<Record<"key" | "store", unknown>> = isObjectNotList(argument)
    ? argument
    : {};
  const { key: givenKey, store, ...rest } = given;
  const key = typeof givenKey === "string" ? givenKey : "";
  const input: UncheckedInput = { ...rest, idempotencyKey: key, keyName: "key" };
  return exchange(
    input,
    submitFaults(endpoint, argument, store),
    (response) => readAnswer(endpoint, response),
    async () => {
      if (isKeyStore(store)) await store.add(createStoredKey(endpoint, key, input.segment));
    },
  ).then(
    (answer) => resultOfAnswer(answer, key),
    (error: unknown) => resultOfError(error, key),
  );
}

function submitFaults(endpoint: Endpoint, argument: unknown, store: unknown): readonly Fault[] {
  const faults = argumentFaults(endpoint, argument, ["key", "store"]);
  return store === undefined || isKeyStore(store)
    ? faults
    : [...faults, { pointer: "/store", code: "TYPE", message: "must be a KeyStore" }];
}
