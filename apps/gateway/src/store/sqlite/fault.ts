/** SQLite's own name for what is wrong; its words may quote values. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "unknown";
  const code: unknown = Reflect.get(error, "errcode");
  return names[Number(code) & 0xff] ?? `SQLite result ${String(code)}`;
}

/** Primary result codes (sqlite.org/rescode.html). */
const names: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  26: "SQLITE_NOTADB",
};
