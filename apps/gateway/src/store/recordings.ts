import { change, statement } from "./sql.ts";
import type { Dialect, Transaction } from "./statement.ts";

/** That the answers to an endpoint are recorded. */
export interface RecordingOrder {
  readonly segment: string;
  readonly endpoint: string;
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
  /** How many different examples are wanted. */
  readonly wanted: number;
}

/** One scrubbed example. */
export interface RecordedExample {
  readonly status: number;
  /** The declared answer as JSON. */
  readonly body: string;
}

/** Where recordings are stored while they run. */
export interface RecordingStore {
  /** Starts a recording; false while one of the same endpoint runs. */
  startRecording(order: RecordingOrder, at: number): Promise<boolean>;
  /** The recordings that run. */
  recordings(at: number): Promise<readonly RecordingOrder[]>;
  /** Adds an example, unless it is known, enough were recorded, or the recording has ended. */
  addExample(segment: string, endpoint: string, example: RecordedExample): Promise<void>;
  examples(segment: string, endpoint: string): Promise<readonly RecordedExample[]>;
  /** Ends a recording, and deletes it with its examples. */
  endRecording(segment: string, endpoint: string): Promise<void>;
  /** Deletes recordings whose command has not ended them. */
  forgetRecordings(before: number): Promise<void>;
}

/** The transactions of `RecordingStore`. */
export type RecordingTransactions = {
  readonly [Name in keyof RecordingStore]: (
    ...parameters: Parameters<RecordingStore[Name]>
  ) => Transaction<Awaited<ReturnType<RecordingStore[Name]>>>;
};

/** The tables of recordings. */
export function recordingTables({ integer }: Pick<Dialect, "integer">): readonly string[] {
  return [
    `CREATE TABLE gateway_recordings (
      segment TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      until ${integer} NOT NULL,
      wanted ${integer} NOT NULL,
      PRIMARY KEY (segment, endpoint)
    )`,
    `CREATE TABLE gateway_examples (
      segment TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      status ${integer} NOT NULL,
      body TEXT NOT NULL
    )`,
    "CREATE INDEX gateway_examples_endpoint ON gateway_examples (segment, endpoint)",
  ];
}

/** Writes the transactions, which are the same in both databases. */
export function recordingTransactions(): RecordingTransactions {
  return {
    *startRecording({ endpoint, segment, until, wanted }, at) {
      const started = yield* change(
        statement(
          `INSERT INTO gateway_recordings (segment, endpoint, until, wanted) VALUES ($1, $2, $3, $4)
            ON CONFLICT (segment, endpoint) DO UPDATE SET until = excluded.until, wanted = excluded.wanted
            WHERE gateway_recordings.until < $5`,
          segment,
          endpoint,
          until,
          wanted,
          at,
        ),
      );
      return started > 0;
    },

    *recordings(at) {
      const rows = yield statement("SELECT * FROM gateway_recordings WHERE until >= $1", at);
      return rows.map((row) => ({
        segment: String(row.segment),
        endpoint: String(row.endpoint),
        until: Number(row.until),
        wanted: Number(row.wanted),
      }));
    },

    *addExample(segment, endpoint, { body, status }) {
      const [order] = yield statement(
        "SELECT wanted FROM gateway_recordings WHERE segment = $1 AND endpoint = $2",
        segment,
        endpoint,
      );
      const known = yield statement(
        "SELECT status, body FROM gateway_examples WHERE segment = $1 AND endpoint = $2",
        segment,
        endpoint,
      );
      const isKnown = known.some((one) => Number(one.status) === status && one.body === body);
      if (order === undefined || isKnown || known.length >= Number(order.wanted)) return;
      yield statement(
        "INSERT INTO gateway_examples (segment, endpoint, status, body) VALUES ($1, $2, $3, $4)",
        segment,
        endpoint,
        status,
        body,
      );
    },

    *examples(segment, endpoint) {
      const rows = yield statement(
        "SELECT status, body FROM gateway_examples WHERE segment = $1 AND endpoint = $2",
        segment,
        endpoint,
      );
      return rows.map((row) => ({ status: Number(row.status), body: String(row.body) }));
    },

    *endRecording(segment, endpoint) {
      for (const table of ["gateway_recordings", "gateway_examples"])
        yield statement(
          `DELETE FROM ${table} WHERE segment = $1 AND endpoint = $2`,
          segment,
          endpoint,
        );
    },

    *forgetRecordings(before) {
      yield statement("DELETE FROM gateway_recordings WHERE until < $1", before);
      yield statement(
        `DELETE FROM gateway_examples WHERE NOT EXISTS (SELECT 1 FROM gateway_recordings
          WHERE gateway_recordings.segment = gateway_examples.segment
            AND gateway_recordings.endpoint = gateway_examples.endpoint)`,
      );
    },
  };
}
