import { offerDevelopmentToken } from "./development-token.ts";

/** The place of the token in the storage of this tab, which ends with the tab. */
const KEPT = "insurance-gateway-token";

/** The token of this tab, or "". */
export function keptToken(): string {
  return sessionStorage.getItem(KEPT) ?? "";
}

/**
 * Keeps the token of the page's field for all pages of this tab.
 * @param use - receives the token now and after each change
 */
export function startTokenBar(use: (token: string) => void): void {
  const field = document.querySelector<HTMLInputElement>("#token");
  const keep = (token: string): void => {
    sessionStorage.setItem(KEPT, token);
    field?.removeAttribute("aria-invalid");
    use(token);
  };
  if (field !== null) field.value = keptToken();
  use(keptToken());
  field?.addEventListener("input", () => keep(withoutScheme(field.value)));
  field?.addEventListener("change", () => {
    field.value = keptToken();
  });
  offerDevelopmentToken((token) => {
    if (field !== null) field.value = token;
    keep(token);
  });
}

/** People copy the whole value of the header. */
function withoutScheme(text: string): string {
  return text.trim().replace(/^(Authorization:\s*)?Bearer\s+/i, "");
}

/** Says beside the field of the token why it cannot be used. */
export function rejectToken(reason: string): void {
  const field = document.querySelector<HTMLInputElement>("#token");
  const note = document.querySelector("#token-note");
  if (note !== null) note.textContent = reason;
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
}
