import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./repository.ts";

/** One fenced block of a document. */
interface Block {
  readonly language: string;
  readonly text: string;
}

/** The changes of files that a document asks its reader for. */
export interface Instructions {
  /** The new files by their path in the repository. */
  readonly files: ReadonlyMap<string, string>;
  /** One patch of all that it changes in files that are there, as `git apply` takes it. */
  readonly patch: string;
  /** The TypeScript that belongs to no file of the repository. */
  readonly programs: readonly string[];
}

/** Reads a document's code blocks: a file's begins with its path as a comment, which is not part of it. */
export function readInstructions(name: string): Instructions {
  const blocks = blocksOf(readFileSync(join(repository, "docs", name), "utf8"));
  const typescript = blocks.filter(({ language }) => language === "ts").map(({ text }) => text);
  const files = typescript.flatMap((text) => {
    const [, path, content] = /^\/\/ (packages\/\S+)\n(.*)$/s.exec(text) ?? [];
    return path === undefined || content === undefined ? [] : [[path, content] as const];
  });
  return {
    files: new Map(files),
    patch: blocks
      .filter(({ language }) => language === "diff")
      .map(({ text }) => text)
      .join(""),
    programs: typescript.filter((text) => !text.startsWith("// packages/")),
  };
}

function blocksOf(document: string): readonly Block[] {
  const found = document.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...found].map(([, language = "", text = ""]) => ({ language, text }));
}
