import { cpSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { ChangeLevel } from "@insurance-gateway/contract-diff";
import ts from "typescript";
import { type ApiReport, type Declared, isStable, programOf, readApi } from "./api-report.ts";

/** The effect of a changed type on users' code that compiles with the older types. */
export interface TypeChange {
  readonly level: ChangeLevel;
  /** The entry point and the name: `./contract: defineProvider`. */
  readonly place: string;
  /** The change of the type in one sentence. */
  readonly text: string;
}

/** Compares the exported names of two versions: a removed name is a `major`, a new one a `minor`. */
export function compareNames(before: ApiReport, after: ApiReport): readonly TypeChange[] {
  const [old, current] = [namesOf(before), namesOf(after)];
  const gone = [...old.keys()].filter((place) => !current.has(place));
  const fresh = [...current.keys()].filter((place) => !old.has(place));
  return [
    ...gone.map(
      (place) => ({ level: "major", place, text: "The name is no longer exported." }) as const,
    ),
    ...fresh.map((place) => ({ level: "minor", place, text: "The name is new." }) as const),
  ];
}

/**
 * Compares two versions of a package's types with the compiler. The newer type must be assignable to the older type
 * (for functions, the older parameters to the newer parameters); otherwise the change is a `major`. If both are
 * assignable to each other, nothing changed for users, even if the declarations differ. Some generic types are not even
 * assignable to a copy of themselves. For such types, the parameters of functions and the texts of the declarations are
 * compared. A change of an unstable entry point is a `minor` at most, because its users accept only patches.
 * @param folder - the folder for a copy of the older types and the file that the compiler checks
 */
export function compareTypes(
  beforeFolder: string,
  afterFolder: string,
  folder: string,
): readonly TypeChange[] {
  const [before, after] = [readApi(beforeFolder), readApi(afterFolder)];
  const names = compareNames(before, after);
  if (
    haveSameTexts(before.declarations, after.declarations) &&
    haveSameTexts(namesOf(before), namesOf(after))
  )
    return lowerUnstable(names, before);
  const copyFolder = join(folder, "copy");
  cpSync(beforeFolder, copyFolder, { recursive: true });
  const copy = readApi(copyFolder);
  const exported = new Set(
    before.entryPoints.filter(isStable).flatMap(({ exports }) => [...exports.keys()]),
  );
  const shared = [
    ...sharedOf(namesOf(before), namesOf(after), namesOf(copy), true),
    ...sharedOf(before.declarations, after.declarations, copy.declarations, false).filter(
      ({ later, old }) => old.text !== later.text && !exported.has(old.name),
    ),
  ];
  const changed = findCompilerMessages(shared, ["later", "earlier"], folder);
  const doubtful = shared.filter(({ place }) =>
    ["later", "earlier"].some((question) => changed.has(`${question} ${place}`)),
  );
  const judged = findCompilerMessages(doubtful, ["copy", "copied arguments", "arguments"], folder);
  const misfits = new Map([...changed, ...judged]);
  return lowerUnstable(
    [...names, ...shared.flatMap((found) => compareShared(found, misfits))],
    before,
  );
}

/** Lowers a `major` to a `minor` for names of unstable entry points. */
function lowerUnstable(
  changes: readonly TypeChange[],
  { entryPoints }: ApiReport,
): readonly TypeChange[] {
  const free = entryPoints.filter((entry) => !isStable(entry)).map(({ path }) => `${path}: `);
  return changes.map((change) =>
    change.level === "major" && free.some((start) => change.place.startsWith(start))
      ? { ...change, level: "minor" }
      : change,
  );
}

/** A name that both versions have. */
interface SharedName {
  readonly place: string;
  /** True if users can import the name; false if only other declarations use the name. */
  readonly isExported: boolean;
  readonly old: Declared;
  readonly later: Declared;
  /** The same declaration as `old`, in the copy. */
  readonly same: Declared;
}

type Names = ReadonlyMap<string, Declared>;

function sharedOf(
  before: Names,
  after: Names,
  copy: Names,
  isExported: boolean,
): readonly SharedName[] {
  return [...before].flatMap(([place, old]) => {
    const [later, same] = [after.get(place), copy.get(place)];
    return later === undefined || same === undefined
      ? []
      : [{ place, isExported, old, later, same }];
  });
}

/** The compiler's messages about two types that are not assignable, by the key `question place`. */
type CompilerMessages = ReadonlyMap<string, string>;

/**
 * A question to the compiler about an exported name, such as whether the later type is assignable to the older type.
 */
type Question = "copy" | "later" | "earlier" | "copied arguments" | "arguments";

function compareShared(found: SharedName, misfits: CompilerMessages): readonly TypeChange[] {
  const { isExported, later, old, place } = found;
  const answer = (question: Question): string | undefined => misfits.get(`${question} ${place}`);
  const changed = (level: ChangeLevel, text: string): readonly TypeChange[] => [
    { level, place, text },
  ];
  const gone = old.members.filter((name) => !later.members.includes(name));
  // If all members are optional, an object without the removed member is still assignable.
  if (gone.length > 0) return changed("major", `The type no longer has ${gone.join(", ")}.`);
  if (answer("copy") !== undefined) {
    const reason = answer("copied arguments") === undefined ? answer("arguments") : undefined;
    if (reason !== undefined) return changed("major", reason);
    return old.text === later.text
      ? []
      : changed("major", "The declaration is different, and the compiler cannot compare the two.");
  }
  const reason = answer("later") ?? (isExported ? undefined : answer("earlier"));
  if (reason !== undefined) return changed("major", reason);
  const hasMore = answer("earlier") !== undefined || later.members.length > old.members.length;
  return hasMore ? changed("minor", "The type has or accepts more than before.") : [];
}

function namesOf({ entryPoints }: ApiReport): Names {
  return new Map(
    entryPoints.flatMap(({ exports, path }) =>
      [...exports].map(([name, found]) => [`${path}: ${name}`, found] as const),
    ),
  );
}

function haveSameTexts(before: Names, after: Names): boolean {
  return (
    before.size === after.size &&
    [...before].every(([key, { text }]) => after.get(key)?.text === text)
  );
}

/** Runs the compiler on one file with all questions. */
function findCompilerMessages(
  shared: readonly SharedName[],
  questions: readonly Question[],
  folder: string,
): CompilerMessages {
  if (shared.length === 0) return new Map();
  const files = [...new Set(shared.flatMap((found) => filesOf(found)))];
  const asked: { readonly line: string; readonly about: string }[] = [];
  for (const found of shared)
    for (const question of questions)
      for (const line of linesOf(found, question, files))
        asked.push({ line, about: `${question} ${found.place}` });
  const head = [
    ...files.map(
      (file, index) =>
        `import type * as m${index} from "./${relative(folder, file).replace(/\.d\.ts$/, ".js")}";`,
    ),
    "declare function fits<Asked, Given extends Asked>(): void;",
    "type Arguments<F> = F extends (...given: infer A) => unknown ? A : never;",
  ];
  const checked = join(folder, "checked.ts");
  writeFileSync(checked, [...head, ...asked.map(({ line }) => line)].join("\n"));
  const program = programOf([checked]);
  const source = program.getSourceFile(checked);
  return new Map(
    program.getSemanticDiagnostics(source).flatMap(({ messageText, start = 0 }) => {
      const line = source?.getLineAndCharacterOfPosition(start).line ?? 0;
      const about = asked[line - head.length]?.about;
      return about === undefined ? [] : [[about, reasonOf(messageText)] as const];
    }),
  );
}

function filesOf({ later, old, same }: SharedName): readonly string[] {
  return [old.file, later.file, same.file];
}

/** Returns the lines for a question: about a value's type, or about a type with any parameters. */
function linesOf(
  { later, old, same }: SharedName,
  question: Question,
  files: readonly string[],
): readonly string[] {
  const typed = ({ file, name }: Declared): string => `m${files.indexOf(file)}.${name}`;
  const other = question === "copy" || question === "copied arguments" ? same : later;
  const [one, two] = question === "earlier" ? [other, old] : [old, other];
  if (question.endsWith("arguments"))
    return old.isValue
      ? [`fits<Arguments<typeof ${typed(other)}>, Arguments<typeof ${typed(old)}>>();`]
      : [];
  const given = old.parameters === 0 ? "" : `<${Array(old.parameters).fill("any").join()}>`;
  return [
    ...(old.isValue ? [`fits<typeof ${typed(one)}, typeof ${typed(two)}>();`] : []),
    ...(old.isType ? [`fits<${typed(one)}${given}, ${typed(two)}${given}>();`] : []),
  ];
}

/** Returns the last and most precise part of a compiler message. */
function reasonOf(message: string | ts.DiagnosticMessageChain): string {
  const lines = ts.flattenDiagnosticMessageText(message, "\n").split("\n");
  const precise = (lines.at(-1) ?? "").trim().replaceAll(/import\("[^)]*\)\./g, "");
  return precise.slice(0, 300);
}
