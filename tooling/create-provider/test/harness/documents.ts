import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./repository.ts";

/** A fenced block of a document. */
interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** The file changes that a document tells the reader to make. */
export interface Instructions {
  /** The new files, by path in the repository. */
  readonly files: ReadonlyMap<string, string>;
  /** One patch in the format of `git apply` with all changes of existing files. */
  readonly patch: string;
  /** The TypeScript programs that do not belong to a file of the repository. */
  readonly programs: readonly string[];
}

/**
 * Reads the code blocks of a document. A block whose first line is a comment with a path is that file, without the
 * comment.
 */
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

function blocksOf(document: string): readonly CodeBlock[] {
  const found = document.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...found].map(([, language = "", text = ""]) => ({ language, text }));
}
