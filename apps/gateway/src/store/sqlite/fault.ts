import { writeObstacleOf } from "./sqlite-files.ts";

/** Returns the code that SQLite or the system gives an error, because the error's message may contain values. */
export function errorCodeOf(error: unknown): string {
  const result: unknown = Reflect.get(Object(error), "errcode");
  if (result !== undefined)
    return resultCodeNames[Number(result) & 0xff] ?? `SQLite result ${String(result)}`;
  const code: unknown = Reflect.get(Object(error), "code");
  return typeof code === "string" ? code : "unknown";
}

/** Names of SQLite's primary result codes (sqlite.org/rescode.html). */
const resultCodeNames: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  26: "SQLITE_NOTADB",
};

const SHORT_READ_CODE = 522;

/** Reports whether an error shows that parts of the open database's files are missing or were changed. */
export function isOtherContent(error: unknown): boolean {
  const code = Number(Reflect.get(Object(error), "errcode"));
  return code === SHORT_READ_CODE || LASTING_FAULT_CODES.has(errorCodeOf(error));
}

/** The fault of a database file that cannot be opened. */
export interface OpeningFault {
  /** SQLite's code of the error, and the system's code if there is one: `SQLITE_CANTOPEN EROFS`. */
  readonly detail: string;
  /** True if the fault can pass while the gateway runs, like a full disk; false if an operator must help. */
  readonly passes: boolean;
}

const LASTING_FAULT_CODES: ReadonlySet<string> = new Set(["SQLITE_CORRUPT", "SQLITE_NOTADB"]);
const LASTING_SYSTEM_CODES: ReadonlySet<string> = new Set(["EACCES", "EPERM", "ENOTDIR", "ELOOP"]);

/** Returns the fault of a database file that could not be opened. */
export function openingFault(error: unknown, file: string): OpeningFault {
  const code = errorCodeOf(error);
  const isOfSystem = /^E[A-Z0-9]+$/.test(code);
  if (isOfSystem) return { detail: code, passes: !LASTING_SYSTEM_CODES.has(code) };
  const obstacle = LASTING_FAULT_CODES.has(code) ? null : writeObstacleOf(file);
  return {
    detail: obstacle === null ? code : `${code} ${obstacle}`,
    passes:
      code.startsWith("SQLITE_") &&
      !LASTING_FAULT_CODES.has(code) &&
      !LASTING_SYSTEM_CODES.has(obstacle ?? ""),
  };
}
