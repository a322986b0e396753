import { wordsIn } from "../names/words.ts";

/** Words of operations that change something, also behind a word that sounds like a read: `getOrCreateCustomer`. */
const ACTING: ReadonlySet<string> = new Set([
  "accept",
  "activate",
  "add",
  "approve",
  "assign",
  "bind",
  "book",
  "cancel",
  "confirm",
  "create",
  "delete",
  "generate",
  "insert",
  "issue",
  "lock",
  "modify",
  "new",
  "next",
  "pay",
  "register",
  "remove",
  "renew",
  "reserve",
  "save",
  "send",
  "store",
  "submit",
  "update",
  "upsert",
]);

/**
 * The first word of a name or a summary that says that something changes, also in its third person: `creates`. What is sent
 * again after a failure must have none.
 */
export function actingWordIn(text: string): string | undefined {
  return wordsIn(text).find((word) => {
    const small = word.toLowerCase();
    return ACTING.has(small) || ACTING.has(small.replace(/s$/, ""));
  });
}
