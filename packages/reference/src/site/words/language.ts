/** A language of the pages, as `lang` has it. */
export type Language = "en" | "el";

/** A text in every language. Pages take only such texts, so that a missing translation fails the type check. */
export type Text = Readonly<Record<Language, string>>;
