/** The gateways that are measured, each in a process of its own. */
export const GATEWAY = "gateway";
export const FROM_MEMORY = "gateway, lookups from memory";
export const ON_POSTGRES = "gateway, PostgreSQL";

/** One line of the table: a work, and which gateway does it. */
export interface Row {
  readonly name: string;
  readonly title: string;
  readonly work: string;
  readonly gateway: string;
  /** Processor time of the bare proxy divided by the gateway's: at least so much is wanted. */
  readonly wanted: number;
  readonly stretch: number;
  /** Whether the other proxies take part; where another line has the same work for them, only the bare one does. */
  readonly hasPeers: boolean;
}

/** The bars are those of issue 15. */
export const rows: readonly Row[] = [
  row("quote", "POST quote, everything on", "quote", GATEWAY, 0.6, 0.75),
  row("lookup", "GET lookup, 2 kB, forwarded", "lookup", GATEWAY, 0.6, 0.75),
  row("memory", "GET lookup, 2 kB, from memory", "lookup", FROM_MEMORY, 1.1, 1.6, false),
  row("list", "GET list, 29 kB, every answer different", "list", GATEWAY, 0.3, 0.4),
  row("submission", "POST submission, durable, SQLite", "submission", GATEWAY, 0.33, 0.45),
  row(
    "postgres",
    "POST submission, durable, PostgreSQL, without the database's own time",
    "submission",
    ON_POSTGRES,
    0.25,
    0.35,
    false,
  ),
  row("document", "GET PDF, 52 kB", "document", GATEWAY, 0.7, 0.85),
];

function row(
  name: string,
  title: string,
  work: string,
  gateway: string,
  wanted: number,
  stretch: number,
  hasPeers: boolean = true,
): Row {
  return { name, title, work, gateway, wanted, stretch, hasPeers };
}

/** What is measured beside the rows. */
export const figureNames = ["rest", "latency", "steady", "readers", "processes"] as const;
export type FigureName = (typeof figureNames)[number];
