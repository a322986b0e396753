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
  { close, isMoved, shared }: Pick<SubmissionStore, "close" | "isMoved" | "shared">,
): SubmissionStore {
  return {
    shared,
    isMoved,
    claim: (submission, rule) => run("claim", submission, rule),
    withdraw: (id) => run("withdraw", id),
    findByKey: (keyDigest) => run("findByKey", keyDigest),
    settle: (settlement) => run("settle", settlement),
    settleByQuery: (settlement, fence) => run("settleByQuery", settlement, fence),
    settleManually: (settlement, resolution) => run("settleManually", settlement, resolution),
    correctFailed: (settlement, resolution) => run("correctFailed", settlement, resolution),
    recordLook: (id, at, resolution) => run("recordLook", id, at, resolution),
    markUnknown: (id, moment, nextQueryAt, answeredId = null) =>
      run("markUnknown", id, moment, nextQueryAt, answeredId),
    expireLeases: (before, moment) => run("expireLeases", before, moment),
    readRunningTime: (now) => run("readRunningTime", now),
    countRunningTime: (now, most) => run("countRunningTime", now, most),
    lead: (segment, owner) => run("lead", segment, owner),
    isLed: (segment) => run("isLed", segment),
    due: (segment, running, limit, except) => run("due", segment, running, limit, except),
    bringForward: (segment, running, connection) =>
      run("bringForward", segment, running, connection),
    bringForwardOne: (id, running, unless) => run("bringForwardOne", id, running, unless),
    reopen: (id, moment) => run("reopen", id, moment),
    postpone: (record, moment, nextQueryAt, absentRunning = null) =>
      run("postpone", record, moment, nextQueryAt, absentRunning),
    endRecheck: (record) => run("endRecheck", record),
    delay: (record, running, nextQueryAt) => run("delay", record, running, nextQueryAt),
    find: (id) => run("find", id),
    list: (states, limit) => run("list", states, limit),
    openConnections: () => run("openConnections"),
    countUnknown: () => run("countUnknown"),
    resolutions: (id) => run("resolutions", id),
    competitors: (submission, insurerIds) => run("competitors", submission, insurerIds),
    forget: (moment, limit) => run("forget", moment, limit),
    encryptedWith: () => run("encryptedWith"),
    secret: (name) => run("secret", name),
    putSecret: (name, secret, instead) => run("putSecret", name, secret, instead),
    addConnection: (connection, authorship) => run("addConnection", connection, authorship),
    rotateConnection: (id, content, authorship) => run("rotateConnection", id, content, authorship),
    removeConnection: (id, authorship) => run("removeConnection", id, authorship),
    connectionChanges: (limit) => run("connectionChanges", limit),
    connectionsSince: (revision, limit) => run("connectionsSince", revision, limit),
    connectionContent: (id) => run("connectionContent", id),
    connectionsNotEncryptedWith: (keyId, limit) => run("connectionsNotEncryptedWith", keyId, limit),
    encryptConnectionAgain: (id, content, instead) =>
      run("encryptConnectionAgain", id, content, instead),
    addCounts: (counts, asked) => run("addCounts", counts, asked),
    usageOn: (day, connection) => run("usageOn", day, connection),
    attemptsSince: (day) => run("attemptsSince", day),
    forgetCounts: (usageBefore, availabilityBefore) =>
      run("forgetCounts", usageBefore, availabilityBefore),
    mark: () => run("mark"),
    lastRecords: () => run("lastRecords"),
    acceptRestore: (at) => run("acceptRestore", at),
    close,
  };
}
