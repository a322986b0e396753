/** The name under which this tab's session storage keeps the gateway's start secret. */
const START_SECRET_KEY = "insurance-gateway-start";

/** Makes a button of the page request a token from the gateway's development issuer. */
export function offerDevelopmentToken(use: (token: string) => void): void {
  const button = document.querySelector<HTMLButtonElement>("#development-token");
  const note = document.querySelector<HTMLElement>("#token-note");
  if (button === null || note === null) return;
  startSecret();
  const take = async (): Promise<void> => {
    if (button.ariaDisabled === "true") return;
    // A disabled button would lose the focus.
    button.ariaDisabled = "true";
    try {
      const { expiresInSeconds, token } = await requestToken(button.dataset.href ?? "");
      use(token);
      const hours = String(Math.round(expiresInSeconds / 3_600));
      note.textContent = note.dataset.inUse?.replace("#", hours) ?? "";
    } catch {
      note.textContent = note.dataset.unavailable ?? "";
    } finally {
      button.ariaDisabled = "false";
    }
  };
  button.addEventListener("click", () => void take());
}

/**
 * Returns the gateway's start secret and keeps the secret for this tab. Removes the secret from the page's address, so
 * that nobody copies the secret with the address.
 */
function startSecret(): string | null {
  const [, given] = /^#start=([\w-]+)$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(START_SECRET_KEY, given);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(START_SECRET_KEY);
}

interface DevelopmentToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

async function requestToken(address: string): Promise<DevelopmentToken> {
  const secret = startSecret();
  if (secret === null) throw new Error("The page was not opened at the address with the secret");
  const headers = { "x-start-secret": secret };
  const response = await fetch(address, { method: "POST", headers });
  if (!response.ok) throw new Error(`The gateway answered ${response.status}`);
  return response.json();
}
