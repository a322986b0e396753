/** Asks the gateway for a token of its development issuer when the button is pressed. */
export function offerDevelopmentToken(use: (token: string) => void): void {
  const button = document.querySelector<HTMLButtonElement>("#development-token");
  const note = document.querySelector("#token-note");
  if (button === null || note === null) return;
  const take = async (): Promise<void> => {
    if (button.ariaDisabled === "true") return;
    // A button that is disabled would lose the focus.
    button.ariaDisabled = "true";
    try {
      const { expiresInSeconds, token } = await askFor(button.dataset.href ?? "");
      use(token);
      note.textContent = `In use on this page, for ${Math.round(expiresInSeconds / 3_600)} hours.`;
    } catch {
      note.textContent =
        "The gateway gave no token. On its machine, `npm run --silent token` prints one.";
    } finally {
      button.ariaDisabled = "false";
    }
  };
  button.addEventListener("click", () => void take());
}

interface DevelopmentToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

async function askFor(address: string): Promise<DevelopmentToken> {
  const response = await fetch(address, { method: "POST" });
  if (!response.ok) throw new Error(`The gateway answered ${response.status}`);
  return response.json();
}
