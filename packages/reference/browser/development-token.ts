/** Asks the gateway for a token of its development issuer when the button is pressed. */
export function offerDevelopmentToken(use: (token: string) => void): void {
  const button = document.querySelector<HTMLButtonElement>("#development-token");
  const note = document.querySelector("#token-note");
  if (button === null || note === null) return;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const response = await fetch(button.dataset.href ?? "", { method: "POST" });
      const { expiresInSeconds, token }: { token: string; expiresInSeconds: number } =
        await response.json();
      if (!response.ok) throw new Error(String(response.status));
      use(token);
      note.textContent = `In use on this page, for ${Math.round(expiresInSeconds / 3_600)} hours.`;
    } catch {
      note.textContent =
        "The gateway gave no token. On its machine, `npm run --silent token` prints one.";
    } finally {
      button.disabled = false;
    }
  });
}
