/** Gives every block of code its copy button, and puts the reader's token into it. */
export function startCodeBlocks(): { readonly use: (token: string) => void } {
  const blocks = [...document.querySelectorAll<HTMLPreElement>("pre[data-token]")];
  const originals = new Map(blocks.map((block) => [block, block.textContent ?? ""]));
  for (const button of document.querySelectorAll<HTMLButtonElement>("button.copy"))
    button.addEventListener("click", () => void copyBeside(button));
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

/** Only pages of https, and of one's own machine, may write to the clipboard; elsewhere the text is marked to be copied. */
async function copyBeside(button: HTMLButtonElement): Promise<void> {
  const block = button.closest("figure")?.querySelector("pre");
  if (block == null) return;
  try {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection()?.selectAllChildren(block);
    button.textContent = "Marked";
  }
}
