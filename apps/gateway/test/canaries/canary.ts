/** Customers' data and secrets of the gateway, with values that appear nowhere else. */
export const canaries = {
  afm: "094772316",
  fullName: "Κανελλοπούλα Αηδονίδου-Καναρίνη",
  dateOfBirth: "1961-07-23",
  plateNumber: "ΚΝΡ-6174",
  insurerCredential: "canary-credential-8c1f2e77d0",
  clientSecret: "canary-client-secret-51ab09e4c2",
  insurerToken: "canary-insurer-token-e02c7719af",
} as const;

/** Returns the first form of a searched value that a text contains; null if the text contains no such form. */
export type Seek = (text: string) => string | null;

/**
 * Returns a search for values in every form: plain, percent-encoded, in base64 at each of the three alignments, escaped
 * as in JSON, as UTF-8 that was read as Latin-1, and as the numbers of a buffer. The search returns the first form in
 * the text.
 */
export function seeking(values: readonly string[]): Seek {
  const forms = values.flatMap(formsOf);
  return (text) => {
    const lowered = text.toLowerCase();
    return forms.find((form) => text.includes(form) || lowered.includes(form)) ?? null;
  };
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const escaped = JSON.stringify(value).slice(1, -1);
  return [
    ...new Set([
      value,
      value.toLowerCase(),
      encodeURIComponent(value),
      encodeURIComponent(value).toLowerCase(),
      [...bytes].map((byte) => `%${byte.toString(16)}`).join(""),
      bytes.toString("hex"),
      bytes.toString("latin1"),
      [...bytes].join(","),
      escaped,
      escaped.replaceAll(/[^ -~]/g, unicodeEscape),
      ...[0, 1, 2].flatMap((shift) => base64At(bytes, shift)),
    ]),
  ];
}

function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Returns the base64 letters that depend only on the value if `shift` other bytes precede the value. */
function base64At(bytes: Uint8Array, shift: number): readonly string[] {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString("base64")
    .replace(/=+$/, "");
  const inner = encoded.slice(shift === 0 ? 0 : shift + 1, -1);
  return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
}
