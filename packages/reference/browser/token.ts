import { offerDevelopmentToken } from "./development-token.ts";

/** The name under which the tab's session storage keeps the token. */
const TOKEN_KEY = "insurance-gateway-token";

/** Returns the tab's token, or "" without a token. The token is always a valid header value. */
export function storedToken(): string {
  return sessionStorage.getItem(TOKEN_KEY) ?? "";
}

/**
 * Keeps the token that the reader enters for all pages of the browser tab.
 * @param use - called now and after each change of the token
 */
export function startTokenBar(use: () => void): void {
  const { field, note } = tokenBar();
  const usual = note?.textContent ?? "";
  const keep = (token: string): void => {
    // A header cannot contain other characters.
    const isUsable = /^[\x21-\x7e]*$/.test(token);
    sessionStorage.setItem(TOKEN_KEY, isUsable ? token : "");
    field?.removeAttribute("aria-invalid");
    if (note !== null) note.textContent = usual;
    if (!isUsable) rejectToken("unusable");
    use();
  };
  if (field !== null) field.value = storedToken();
  use();
  field?.addEventListener("input", () => keep(withoutScheme(field.value)));
  field?.addEventListener("change", () => {
    if (!field.hasAttribute("aria-invalid")) field.value = storedToken();
  });
  offerDevelopmentToken((token) => {
    if (field !== null) field.value = token;
    keep(token);
  });
}

/** Reports whether the browser tab has a token. Without a token, shows the reason beside the token field. */
export function hasToken(): boolean {
  const isKept = storedToken() !== "";
  if (!isKept) rejectToken((tokenBar().field?.value ?? "") === "" ? "missing" : "unusable");
  return isKept;
}

/** Shows beside the token field why the token cannot be used. */
export function rejectToken(reason: "missing" | "refused" | "unusable"): void {
  const { field, note } = tokenBar();
  if (note !== null) note.textContent = note.dataset[reason] ?? "";
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
}

function tokenBar() {
  return {
    field: document.querySelector<HTMLInputElement>("#token"),
    note: document.querySelector<HTMLElement>("#token-note"),
  };
}

/** Removes the word `Bearer` from a pasted token, because people copy the whole header value. */
function withoutScheme(text: string): string {
  return text.trim().replace(/^(Authorization:\s*)?Bearer\s+/i, "");
}
