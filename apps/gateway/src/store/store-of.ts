import type { SubmissionStore } from "./store.ts";
import type { Transactions } from "./transactions.ts";

/** Runs one of the operations in a transaction; resolves when it is on disk. */
export type RunTransaction = <Name extends keyof Transactions>(
  name: Name,
  ...parameters: Parameters<Transactions[Name]>
) => ReturnType<SubmissionStore[Name]>;

/** Makes a store of what runs its operations. */
export function storeOf(
  run: RunTransaction,
  { close, shared }: Pick<SubmissionStore, "close" | "shared">,
): SubmissionStore {
  return {
    shared,
    claim: (submission) => run("claim", submission),
    withdraw: (id) => run("withdraw", id),
    settle: (settlement) => run("settle", settlement),
    settleByQuery: (settlement, fence, segment) => run("settleByQuery", settlement, fence, segment),
    settleManually: (settlement, resolution) => run("settleManually", settlement, resolution),
    markUnknown: (id, at, nextQueryAt) => run("markUnknown", id, at, nextQueryAt),
    expireLeases: (before, at) => run("expireLeases", before, at),
    takeDue: (segment, at, hiddenUntil, limit) => run("takeDue", segment, at, hiddenUntil, limit),
    postpone: (id, fence, at, nextQueryAt) => run("postpone", id, fence, at, nextQueryAt),
    find: (id) => run("find", id),
    list: (states, limit) => run("list", states, limit),
    countUnknown: () => run("countUnknown"),
    resolutions: (id) => run("resolutions", id),
    competitors: (submission, insurerIds) => run("competitors", submission, insurerIds),
    forget: (at, limit) => run("forget", at, limit),
    encryptedWith: () => run("encryptedWith"),
    secret: (name) => run("secret", name),
    putSecret: (name, secret, instead) => run("putSecret", name, secret, instead),
    close,
  };
}
