import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./harness/repository.ts";

/** The numbers of lines in a provider's adapter, without imports, comments and empty lines. */
interface AdapterLines {
  readonly endpoints: number;
  /** The number of lines for calls and their field tables, which grows with each endpoint. */
  readonly calls: number;
  /**
   * The number of lines that the dialect needs only once for all endpoints: refusals, envelope, login, tables of
   * codes.
   */
  readonly once: number;
  /** The number of lines of functions, which tables cannot replace. */
  readonly code: number;
}

/** Counts the lines in the adapter of a provider. */
function adapterLines(id: string): AdapterLines {
  const sources = ["adapter.ts", "dialect.ts"].map((name) =>
    join(repository, "packages", id, "src", name),
  );
  const text = sources
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n")
    .replaceAll(/\/\*\*.*?\*\//gs, "")
    .replaceAll(/^\s*\/\/.*$/gm, "")
    .replaceAll(/^import .*?;$/gms, "");
  const calls = blocks(
    text,
    /^ {2}calls: \{\n.*?^ {2}\},$|^export const \w+Rows: Mapping = .*?;$/gms,
  );
  const code = blocks(text, /^(?:export )?function .*?^\}$/gms);
  const endpoints = [...text.matchAll(/^ {4}\w+: \{$/gm)].length;
  return { endpoints, calls, once: lines(text) - calls - code, code };
}

function blocks(text: string, form: RegExp): number {
  return [...text.matchAll(form)].reduce((sum, [block]) => sum + lines(block), 0);
}

function lines(text: string): number {
  return text.split("\n").filter((line) => line.trim() !== "").length;
}

/** Returns the row of a provider in the table of adapter sizes in docs/adding-a-provider.md. */
export function adapterRow(id: string, dialect: string): string {
  const { calls, code, endpoints, once } = adapterLines(id);
  const each = Math.round(calls / endpoints);
  const share = Math.round((100 * (calls + once)) / (calls + once + code));
  return `| ${id} | ${dialect} | ${endpoints} | ${each} | ${once} | ${code} | ${share} % |`;
}
