import type { Operations } from "./operations.ts";
import type { SubmissionStore } from "./store.ts";

/** Runs one of the operations in a transaction; resolves when it is on disk. */
export type RunOperation = <Name extends keyof Operations>(
  name: Name,
  ...parameters: Parameters<Operations[Name]>
) => ReturnType<SubmissionStore[Name]>;

/** Makes a store of what runs its operations. */
export function storeOf(
  run: RunOperation,
  { close, shared }: Pick<SubmissionStore, "close" | "shared">,
): SubmissionStore {
  return {
    shared,
    claim: (submission) => run("claim", submission),
    withdraw: (id) => run("withdraw", id),
    settle: (settlement) => run("settle", settlement),
    settleByLookup: (settlement, fence, segment) =>
      run("settleByLookup", settlement, fence, segment),
    settleByPerson: (settlement, attestation) => run("settleByPerson", settlement, attestation),
    markUnknown: (id, at, nextLookupAt) => run("markUnknown", id, at, nextLookupAt),
    expireLeases: (before, at) => run("expireLeases", before, at),
    takeDue: (segment, at, hiddenUntil, limit) => run("takeDue", segment, at, hiddenUntil, limit),
    postpone: (id, fence, at, nextLookupAt) => run("postpone", id, fence, at, nextLookupAt),
    find: (id) => run("find", id),
    list: (states, limit) => run("list", states, limit),
    countUnknown: () => run("countUnknown"),
    attestations: (id) => run("attestations", id),
    rivals: (submission, references) => run("rivals", submission, references),
    forget: (at, limit) => run("forget", at, limit),
    sealedWith: () => run("sealedWith"),
    secret: (name) => run("secret", name),
    putSecret: (name, secret, instead) => run("putSecret", name, secret, instead),
    close,
  };
}
