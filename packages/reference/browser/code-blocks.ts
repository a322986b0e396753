import { storedToken } from "./token.ts";

/**
 * Adds a copy button to every code block of a page. The returned function `use` inserts the browser tab's token into
 * all blocks.
 */
export function startCodeBlocks(): { readonly use: () => void } {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button.copy"))
    button.addEventListener("click", () => void copyBeside(button));
  const blocks = [...document.querySelectorAll<HTMLElement>("pre[data-token]")];
  return {
    use() {
      for (const block of blocks) showCode(block, templateOf(block));
    },
  };
}

/** Returns the text of a code block with the placeholder in place of the token. */
export function templateOf(block: HTMLElement): string {
  return block.dataset.template ?? block.textContent;
}

/** Shows a text in a code block, with the tab's token in place of the placeholder. */
export function showCode(block: HTMLElement, template: string): void {
  const code = block.querySelector("code");
  const { token: placeholder = "" } = block.dataset;
  block.dataset.template = template;
  if (code !== null)
    code.textContent = template.replaceAll(placeholder, storedToken() || placeholder);
}

/**
 * Copies the code block beside a button. Only pages on https or localhost may write to the clipboard; on other pages
 * the text is selected, so that the reader can copy the text.
 */
async function copyBeside(button: HTMLButtonElement): Promise<void> {
  const block = button.closest("figure")?.querySelector("pre");
  if (block == null) return;
  try {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = button.dataset.copied ?? "";
  } catch {
    getSelection()?.selectAllChildren(block);
    button.textContent = button.dataset.marked ?? "";
  }
}
