/** A phrase that a newcomer has to read twice. */
export interface ProseRule {
  /** Matches one line of a comment or document, or a whole title. */
  readonly phrase: RegExp;
  /** The better way to write it. */
  readonly advice: string;
}

/** Words of this project that no newcomer knows. They apply to comments, titles and documents. */
const words: readonly ProseRule[] = (
  [
    ["stand-ins?", "simulated insurer"],
    ["whoever", "clients that, a person who"],
    ["anew", "again"],
    ["heeds?", "respect"],
    ["kin", "and similar options"],
    ["likeness", "match digest"],
    ["attest(?:s|ed)?|testimony", "resolve manually, manual resolution"],
    ["seal(?:s|ed|ing)?", "encrypt, encrypted, encryption key"],
    ["put away", "stored"],
    ["last words", "fatal-error handler"],
    ["at hand", "available"],
    ["works? out", "compute"],
    ["lets? go", "release"],
    ["(?:is|are) told", "receives, is reported"],
    ["that there (?:is|are) not", "missing, unknown"],
  ] as const
).map(([word, better]) => ({
  phrase: new RegExp(`\\b(?:${word})\\b`, "i"),
  advice: `Standard words: ${better}.`,
}));

/** The rules for comments. */
export const commentRules: readonly ProseRule[] = [
  ...words,
  {
    phrase: /^(?:[^.?]*\. )?What [^?]*$/,
    advice: "Name the thing: not `What a quota limits`, but `Quota types`.",
  },
  {
    phrase: /\b[Ss]o (?:many|much|often|long|large|soon)\b(?! (?:that|as|for)\b)/,
    advice: "Write a limit as a limit: `Maximum of open accounts`.",
  },
  {
    phrase: /\b(?:c[ao]mes? (?:of|to)|becomes? of|became of)\b(?! (?:be|an end)\b)/,
    advice: "Name the result: `Result of opening the file`.",
  },
  {
    phrase: /\b(?:known|said|told|reported|remembered|noticed) of\b/,
    advice: "Name the facts: `The known facts of a call`.",
  },
  {
    phrase: /(?<![Tt]here )\b(?:is|are|was|were) no (?!longer|more|less|such|other)[a-z]+/,
    advice: "One negation: not `is no number`, but `is not a number`.",
  },
  {
    phrase: /\b(?:null|undefined|empty|false|true|none) where /,
    advice: "A condition begins with `if`: `null if there is none`.",
  },
  {
    phrase: /\bwhen left out\b/,
    advice: "Write `Default: 20`.",
  },
  {
    phrase: /\b(?:stands?(?! for)|stood|lies|goes on|comes along|goes along|walks?)\b/,
    advice: "Use the verb that people use: is, continues.",
  },
  {
    phrase: /^(?:Of|Beside) (?!course)/,
    advice: "Begin with the thing: `The total of a list`.",
  },
];

/** The rules for titles of tests. */
export const titleRules: readonly ProseRule[] = [
  ...words,
  {
    phrase: /^(?:that|whose|of|with|without|in|at|while|when|after|before|if|also|from) /,
    advice: "A title reads alone: subject, verb, condition.",
  },
  {
    phrase:
      /^(?:is|are|has|have|can|cannot|may|must|does|sends|gets|keeps|refuses|reports|returns|reads|writes|needs|stays|ends|fails|waits|says|shows|gives|goes|comes|takes) /,
    advice: "Begin with the subject: `the gateway refuses …`.",
  },
  {
    phrase: /\bwhat (?!to do)/,
    advice: "Name the thing: not `what it is`.",
  },
  {
    phrase: /\b(?:one that|ones that|those that|that which|another's|others'|theirs)\b/,
    advice: "Repeat the noun.",
  },
];

/** The rules for messages, help texts and descriptions in code. */
export const textRules: readonly ProseRule[] = [
  { phrase: /\bwhen left out\b/, advice: "Write `(default: 20)`." },
];

/** The rules for documents. */
export const documentRules: readonly ProseRule[] = words;
