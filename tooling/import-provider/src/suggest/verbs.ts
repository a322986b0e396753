import { wordsIn } from "../names/words.ts";

/** The first words of the names of operations that change nothing. */
export const READING: readonly string[] = [
  "get",
  "list",
  "find",
  "search",
  "read",
  "fetch",
  "retrieve",
  "query",
  "download",
  "lookup",
  "filter",
  "check",
  "validate",
  "verify",
];
/** Those of them that a POST has because of its question, and not because it makes what it gives. */
export const ASKING: readonly string[] = [
  "list",
  "find",
  "search",
  "query",
  "lookup",
  "filter",
  "check",
  "validate",
  "verify",
];
/** Verbs that return a document; some of them may also create one. */
export const PRINTING: readonly string[] = [...READING, "print", "view", "preview"];
/** Verbs that calculate. */
export const CALCULATING: readonly string[] = [
  "tariff",
  "tariffy",
  "quote",
  "rate",
  "calculate",
  "price",
  "estimate",
  "simulate",
];

/** Words of operations that change something, also behind a word that sounds like a read: `getOrCreateCustomer`. */
const ACTING: ReadonlySet<string> = new Set(
  `accept activate add adjust amend apply approve archive assign attach authorise authorize begin bind book buy cancel
  capture change charge close collect commit complete confirm convert correct create credit debit decline delete deposit
  disable edit email enable endorse enrol enroll execute extend finalise finalize generate grant insert issue lapse lock
  lodge merge modify new next notify open order pay perform place post process publish purchase put reconfirm record redeem
  refer refund register reinstate reject remove renew replace request reserve reset restore resume revoke run save schedule
  send set settle sign start stop store submit subscribe suspend terminate transfer trigger unlock update upload upsert void
  withdraw`.split(/\s+/),
);

/**
 * Returns the first word of a name or a summary that announces a change, also in its third person: `creates`. An operation
 * that is sent again after a failure must have none.
 */
export function actingWordIn(text: string): string | undefined {
  return wordsIn(text).find((word) => {
    const small = word.toLowerCase();
    const forms = [/$/, /s$/, /es$/].map((ending) => small.replace(ending, ""));
    return [...forms, small.replace(/ies$/, "y")].some(isActing);
  });
}

/**
 * The word of the name of a GET that says that something changes: its first one, or one after "and" or "or". Elsewhere, such a
 * word is mostly a noun: `listOrders`.
 */
export function actingWordOfGet(name: string): string | undefined {
  const words = wordsIn(name).map((word) => word.toLowerCase());
  return words.find(
    (word, at) => isActing(word) && (at === 0 || ["and", "or"].includes(words[at - 1] ?? "")),
  );
}

/** The first word of a name, in lower case, if it is one of these. */
export function firstWordOf(name: string, among: readonly string[]): string | undefined {
  const word = (wordsIn(name)[0] ?? "").toLowerCase();
  return among.includes(word) ? word : undefined;
}

function isActing(word: string): boolean {
  return ACTING.has(word);
}
