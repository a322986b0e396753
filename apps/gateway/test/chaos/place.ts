import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { SubmissionRecord } from "../../src/store/record.ts";
import { asRecord } from "../../src/store/rows.ts";

/** Where the submissions of a deployment are kept. */
export interface Place {
  readonly name: string;
  /** How many gateways share it. */
  readonly replicas: number;
  /** What a gateway is told of it, beside the data folder. */
  readonly environment: Readonly<Record<string, string>>;
  /** Every submission that is kept, read beside the gateways. */
  records(firstData: string): Promise<readonly SubmissionRecord[]>;
}

const EVERY = "SELECT * FROM gateway_submissions ORDER BY number";

/** A file of SQLite, which one gateway serves from. */
export const sqlitePlace: Place = {
  name: "SQLite",
  replicas: 1,
  environment: {},
  async records(firstData) {
    const database = new DatabaseSync(join(firstData, "submissions.sqlite"), { readOnly: true });
    try {
      return database.prepare(EVERY).all().map(asRecord);
    } finally {
      database.close();
    }
  },
};

/** An empty PostgreSQL database, which two gateways share. */
export function postgresPlace(url: string): Place {
  return {
    name: "PostgreSQL",
    replicas: 2,
    environment: { DATABASE_URL: url },
    async records() {
      const client = new Client(url);
      await client.connect();
      try {
        const { rows } = await client.query(EVERY);
        return rows.map(asRecord);
      } finally {
        await client.end();
      }
    },
  };
}
