/** A language of the pages, as in the attribute `lang`. */
export type Language = "en" | "el";

/** A text in every language. Pages accept only this type, so that a missing translation fails the type check. */
export type Text = Readonly<Record<Language, string>>;
