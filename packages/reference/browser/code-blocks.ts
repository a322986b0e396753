import { keptToken } from "./token.ts";

/** Gives every block of code its copy button; `use` puts the token of this tab into all of them. */
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

/** The text of a block with the placeholder of the token. */
export function templateOf(block: HTMLElement): string {
  return block.dataset.template ?? block.textContent;
}

/** Shows a text in a block, with the token of this tab in place of its placeholder. */
export function showCode(block: HTMLElement, template: string): void {
  const code = block.querySelector("code");
  const { token: placeholder = "" } = block.dataset;
  block.dataset.template = template;
  if (code !== null)
    code.textContent = template.replaceAll(placeholder, keptToken() || placeholder);
}

/** Only pages of https, and of one's own machine, may write to the clipboard; elsewhere the text is marked to be copied. */
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
