import { wordsIn } from "../names/words.ts";

/** First words in the names of operations that change nothing. */
export const READING_WORDS: readonly string[] = [
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
/** The reading words of operations that often use POST only because the query is long. */
export const QUERY_WORDS: readonly string[] = [
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
/** Verbs of operations that return a document; some may also create one. */
export const DOCUMENT_WORDS: readonly string[] = [...READING_WORDS, "print", "view", "preview"];
/** Verbs of operations that calculate. */
export const CALCULATION_WORDS: readonly string[] = [
  "tariff",
  "tariffy",
  "quote",
  "rate",
  "calculate",
  "price",
  "estimate",
  "simulate",
];

/** Words of operations that change something, even after a reading word: `getOrCreateCustomer`. */
const CHANGE_WORDS: ReadonlySet<string> = new Set(
  `accept activate add adjust amend apply approve archive assign attach authorise authorize begin bind book buy cancel
  capture change charge close collect commit complete confirm convert correct create credit debit decline delete deposit
  disable edit email enable endorse enrol enroll execute extend finalise finalize generate grant insert issue lapse lock
  lodge merge modify new next notify open order pay perform place post process publish purchase put reconfirm record redeem
  refer refund register reinstate reject remove renew replace request reserve reset restore resume revoke run save schedule
  send set settle sign start stop store submit subscribe suspend terminate transfer trigger unlock update upload upsert void
  withdraw`.split(/\s+/),
);

/**
 * Returns the first word of a name or summary that indicates a change, also in the third person: `creates`. An
 * operation that is retried must not contain such a word.
 */
export function actingWordIn(text: string): string | undefined {
  return wordsIn(text).find((word) => {
    const small = word.toLowerCase();
    const forms = [/$/, /s$/, /es$/].map((ending) => small.replace(ending, ""));
    return [...forms, small.replace(/ies$/, "y")].some(isActing);
  });
}

/**
 * Returns the word in the name of a GET that indicates a change: its first word, or a word after "and" or "or". In
 * other places such a word is mostly a noun: `listOrders`.
 */
export function actingWordOfGet(name: string): string | undefined {
  const words = wordsIn(name).map((word) => word.toLowerCase());
  return words.find(
    (word, at) => isActing(word) && (at === 0 || ["and", "or"].includes(words[at - 1] ?? "")),
  );
}

/** Returns the first word of a name, in lower case, if it is in the list. */
export function firstWordOf(name: string, among: readonly string[]): string | undefined {
  const word = (wordsIn(name)[0] ?? "").toLowerCase();
  return among.includes(word) ? word : undefined;
}

function isActing(word: string): boolean {
  return CHANGE_WORDS.has(word);
}
