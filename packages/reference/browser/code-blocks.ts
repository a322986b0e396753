/** Gives every block of code its copy button, and puts the reader's token into it. */
export function startCodeBlocks(): { readonly use: (token: string) => void } {
  const blocks = [...document.querySelectorAll<HTMLPreElement>("pre[data-token]")];
  const originals = new Map(blocks.map((block) => [block, block.textContent ?? ""]));
  for (const button of document.querySelectorAll<HTMLButtonElement>("button.copy"))
    button.addEventListener("click", async () => {
      const text = button.closest("figure")?.querySelector("pre")?.textContent ?? "";
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    });
  return {
    use(token) {
      for (const [block, text] of originals) {
        const code = block.querySelector("code");
        const placeholder = block.dataset.token ?? "";
        if (code !== null)
          code.textContent = token === "" ? text : text.replaceAll(placeholder, token);
      }
    },
  };
}
