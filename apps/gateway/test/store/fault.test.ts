import { expect, it } from "vitest";
import { errorCodeOf } from "../../src/store/sqlite/fault.ts";

it.each<[unknown, string]>([
  [{ errcode: 5 }, "SQLITE_BUSY"],
  [{ errcode: 8 }, "SQLITE_READONLY"],
  [{ errcode: 10 }, "SQLITE_IOERR"],
  [{ errcode: 11 }, "SQLITE_CORRUPT"],
  [{ errcode: 13 }, "SQLITE_FULL"],
  [{ errcode: 14 }, "SQLITE_CANTOPEN"],
  [{ errcode: 26 }, "SQLITE_NOTADB"],
  // The last byte of an extended SQLite error code is the primary code.
  [{ errcode: 261 }, "SQLITE_BUSY"],
  [{ errcode: 522 }, "SQLITE_IOERR"],
  [{ errcode: 1_555 }, "SQLite result 1555"],
  [{ code: "EACCES" }, "EACCES"],
  [{}, "unknown"],
  [null, "unknown"],
  ["SQLITE_FULL", "unknown"],
])("an error %j of the store's file is reported as %s", (error, code) => {
  expect(errorCodeOf(error)).toBe(code);
});
