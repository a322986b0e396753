import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { type Files, listsOf, readPackage } from "@insurance-gateway/lists";
import * as z from "zod";
import type { ImportedProvider } from "./import-provider.ts";
import { namesOf, type ProviderName, packageFiles } from "./package-files.ts";
import { ImportFault } from "./report.ts";
import { type PackageNames, scaffoldOf } from "./standalone.ts";

/** The result of writing an import, with paths in the package. */
export interface WrittenImport {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** The files that a person wrote or changed. The import does not change these files. */
  readonly kept: readonly string[];
  /** Imports of names that no file exports now: `src/endpoints/ping.ts imports Policy of src/schemas/policy.ts`. */
  readonly missing: readonly string[];
}

/**
 * The file that records the files of the last import, so that the next import can find the files that a person changed.
 */
const IMPORT_RECORD = "import.json";

const record = z.strictObject({
  /** The display name; only the first import sets it. */
  name: z.string(),
  /** The name of a package outside this repository. */
  packageName: z.string().optional(),
  title: z.string(),
  version: z.string(),
  files: z.record(z.string().regex(/^(?!\/|.*\.\.)/, "must be a path in the package"), z.string()),
});

/**
 * Writes an import into the package's folder. Files that a person wrote or changed stay unchanged; unneeded files of
 * the last import are removed.
 * @throws ImportFault if the record of the last import cannot be read
 */
export function writeImport(
  folder: string,
  provider: ProviderName,
  imported: ImportedProvider,
): WrittenImport {
  const { files: earlier, ...called } = readRecord(join(folder, IMPORT_RECORD));
  const names = namesOf({ ...called, ...provider });
  const scaffold = scaffoldOf(names);
  const present = existsSync(folder) ? readPackage(folder) : new Map<string, string>();
  const isOurs = (path: string): boolean => {
    const text = textOf(join(folder, path));
    return text === undefined || earlier.get(path) === digest(text) || scaffold.get(path) === text;
  };
  // The package also contains sources that no import wrote; its lists are always written again.
  const lists = new Set(listsOf(present.has("src/provider.ts") ? present : scaffold).keys());
  const kept = new Map(
    [...present].filter(([path]) => path === "README.md" || !(isOurs(path) || lists.has(path))),
  );
  const isObsolete = (path: string): boolean =>
    earlier.has(path) && !first.has(path) && !kept.has(path);
  const first = packageFiles(names, imported, kept);
  const used = obsoleteFilesNeededBy(
    kept,
    new Map([...present].filter(([path]) => isObsolete(path))),
  );
  const files =
    used.size === 0 ? first : packageFiles(names, imported, new Map([...kept, ...used]));
  // A file that already has the new text is from an interrupted import.
  const isNew = (path: string, text: string): boolean => textOf(join(folder, path)) === text;
  const owned = [...files].filter(
    ([path, text]) => lists.has(path) || isOurs(path) || isNew(path, text),
  );
  const written = owned.filter(([path, text]) => textOf(join(folder, path)) !== text);
  for (const [path, text] of written) write(join(folder, path), text);
  const obsolete = [...earlier.keys()].filter((path) => !files.has(path));
  const removed = obsolete.filter(
    (path) => isOurs(path) && !used.has(path) && existsSync(join(folder, path)),
  );
  for (const path of removed) rmSync(join(folder, path));
  write(join(folder, IMPORT_RECORD), recordText(imported, names, new Map([...owned, ...used])));
  return {
    written: written.map(([path]) => path),
    removed,
    kept: [
      ...[...files.keys()].filter((path) => !lists.has(path) && !isWritten(path, owned)),
      ...obsolete.filter((path) => !removed.includes(path) && existsSync(join(folder, path))),
    ],
    missing: missingImports(folder, new Set(owned.map(([path]) => path))),
  };
}

/** Returns the obsolete files that kept files still need: imported files, and the examples of kept endpoints. */
function obsoleteFilesNeededBy(kept: Files, obsolete: Files): Files {
  const used = new Map<string, string>();
  const open = [...kept];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, text] = next;
    const imported = [...text.matchAll(/ from "(\.[^"]+)";/g)].map(([, specifier = ""]) =>
      posix.join(posix.dirname(path), specifier),
    );
    for (const needed of [...imported, path.replace("src/endpoints/", "src/examples/")]) {
      const found = obsolete.get(needed);
      if (found === undefined || used.has(needed)) continue;
      used.set(needed, found);
      open.push([needed, found]);
    }
  }
  return used;
}

/** Finds the names that a person's files import although no file of the package exports the names. */
function missingImports(folder: string, owned: ReadonlySet<string>): readonly string[] {
  const paths = globSync(["src/**/*.ts", "test/**/*.ts"], { cwd: folder }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  return paths
    .filter((path) => !owned.has(path))
    .toSorted()
    .flatMap((path) =>
      importsOf(textOf(join(folder, path)) ?? "").flatMap(({ from, names }) => {
        const target = posix.join(posix.dirname(path), from);
        const text = textOf(join(folder, target));
        if (text === undefined) return [`${path} imports ${target}, which is removed`];
        // A file with `export *` exports names of other files, so this check cannot recognise a missing name.
        if (/^export (?:type )?\*/m.test(text)) return [];
        return names
          .filter((name) => !exportsName(text, name))
          .map((name) => `${path} imports ${name} of ${target}, which has it no longer`);
      }),
    );
}

/** Returns the relative imports of a module, with the imported names. */
function importsOf(
  text: string,
): readonly { readonly from: string; readonly names: readonly string[] }[] {
  const found = text.matchAll(/^(?:import|export)\b([^;"]*?)\bfrom "(\.[^"]+\.ts)";/gm);
  return [...found].map(([, clause = "", from = ""]) => {
    const [, list = ""] = /\{([^}]*)\}/.exec(clause) ?? [];
    const names = list.split(",").map((one) => one.trim().replace(/^type /, ""));
    return { from, names: names.flatMap((one) => one.split(" as ", 1)).filter(isIdentifier) };
  });
}

function isIdentifier(text: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text);
}

function exportsName(text: string, name: string): boolean {
  const declared = `(?:const|let|function|class|interface|type|enum) ${name}\\b`;
  const listed = `(?:type )?\\{[^}]*\\b${name}\\b[^}]*\\}`;
  return new RegExp(`^export (?:declare |async )?(?:${declared}|${listed})`, "m").test(text);
}

function isWritten(path: string, owned: readonly (readonly [string, string])[]): boolean {
  return owned.some(([one]) => one === path);
}

function recordText(
  { title, version }: ImportedProvider,
  { name, packageName }: PackageNames,
  files: Files,
): string {
  const digests = Object.fromEntries([...files].map(([path, text]) => [path, digest(text)]));
  return `${JSON.stringify({ name, packageName, title, version, files: digests }, null, 2)}\n`;
}

function readRecord(file: string): {
  readonly files: ReadonlyMap<string, string>;
  readonly name?: string;
  readonly packageName?: string;
} {
  const text = textOf(file);
  if (text === undefined) return { files: new Map() };
  try {
    const { files, name, packageName } = record.parse(JSON.parse(text));
    return {
      files: new Map(Object.entries(files)),
      name,
      ...(packageName === undefined ? {} : { packageName }),
    };
  } catch {
    throw new ImportFault(
      `${file} is not the record of the last import; restore it, or remove it to keep every file that is there`,
    );
  }
}

/**
 * Returns the package name of an earlier import into a folder outside this repository.
 * @throws ImportFault if the record of the last import cannot be read
 */
export function recordedPackage(folder: string): string | undefined {
  return readRecord(join(folder, IMPORT_RECORD)).packageName;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
