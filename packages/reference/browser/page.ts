import { startCodeBlocks } from "./code-blocks.ts";
import { offerDevelopmentToken } from "./development-token.ts";
import { startFinder } from "./finder.ts";

const blocks = startCodeBlocks();
offerDevelopmentToken(blocks.use);
document.querySelector<HTMLInputElement>("#token")?.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement) blocks.use(target.value.trim());
});
startFinder();
