import { offerDevelopmentToken } from "./development-token.ts";

/** The place of the token in the storage of this tab, which ends with the tab. */
const KEPT = "insurance-gateway-token";

/** The token of this tab, or "". A request can always send it. */
export function keptToken(): string {
  return sessionStorage.getItem(KEPT) ?? "";
}

/**
 * Keeps the token of the page's field for all pages of this tab.
 * @param use - called now and after each change
 */
export function startTokenBar(use: () => void): void {
  const { field, note } = tokenBar();
  const usual = note?.textContent ?? "";
  const keep = (token: string): void => {
    // A header cannot have other characters.
    const isUsable = /^[\x21-\x7e]*$/.test(token);
    sessionStorage.setItem(KEPT, isUsable ? token : "");
    field?.removeAttribute("aria-invalid");
    if (note !== null) note.textContent = usual;
    if (!isUsable) rejectToken("unusable");
    use();
  };
  if (field !== null) field.value = keptToken();
  use();
  field?.addEventListener("input", () => keep(withoutScheme(field.value)));
  field?.addEventListener("change", () => {
    if (!field.hasAttribute("aria-invalid")) field.value = keptToken();
  });
  offerDevelopmentToken((token) => {
    if (field !== null) field.value = token;
    keep(token);
  });
}

/** Whether this tab has a token; says beside the field why not. */
export function hasToken(): boolean {
  const isKept = keptToken() !== "";
  if (!isKept) rejectToken((tokenBar().field?.value ?? "") === "" ? "missing" : "unusable");
  return isKept;
}

/** Says beside the field of the token why it cannot be used. */
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

/** People copy the whole value of the header. */
function withoutScheme(text: string): string {
  return text.trim().replace(/^(Authorization:\s*)?Bearer\s+/i, "");
}
