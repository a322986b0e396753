import { startCodeBlocks } from "./code-blocks.ts";
import { startFinder } from "./finder.ts";
import { startTokenBar } from "./token.ts";

startTokenBar(startCodeBlocks().use);
startFinder();
