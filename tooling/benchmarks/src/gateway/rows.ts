/** The measured gateways, each in a separate process. */
export const GATEWAY = "gateway";
export const FROM_MEMORY = "gateway, lookups from memory";
export const ON_POSTGRES = "gateway, PostgreSQL";

/** One line of the table: a work and the gateway that serves the work's requests. */
export interface Row {
  readonly name: string;
  readonly title: string;
  readonly work: string;
  readonly gateway: string;
  /**
   * True if this line measures all proxies; false if this line measures only the bare proxy beside the gateway,
   * because another line measures the other proxies with the same work.
   */
  readonly hasPeers: boolean;
}

/** All rows of a complete run. */
export const rows: readonly Row[] = [
  row("quote", "POST quote, everything on", "quote", GATEWAY),
  row("lookup", "GET lookup, 2 kB, forwarded", "lookup", GATEWAY),
  row("memory", "GET lookup, 2 kB, from memory", "lookup", FROM_MEMORY, false),
  row("list", "GET list, 29 kB, every answer different", "list", GATEWAY),
  row("submission", "POST submission, durable, SQLite", "submission", GATEWAY),
  row(
    "postgres",
    "POST submission, durable, PostgreSQL, without the database's own time",
    "submission",
    ON_POSTGRES,
    false,
  ),
  row("document", "GET PDF, 52 kB", "document", GATEWAY),
];

function row(
  name: string,
  title: string,
  work: string,
  gateway: string,
  hasPeers: boolean = true,
): Row {
  return { name, title, work, gateway, hasPeers };
}

/** The figures that a complete run measures in addition to the rows. */
export const figureNames = ["rest", "latency", "readers", "requests", "overload"] as const;
export const figuresOnRequest = ["hostile"] as const;
export type FigureName = (typeof figureNames)[number] | (typeof figuresOnRequest)[number];
