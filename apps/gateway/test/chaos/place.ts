import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RunningPostgres } from "@insurance-gateway/running-postgres";
import type { SubmissionRecord } from "../../src/store/record.ts";
import { submissionFromRow } from "../../src/store/rows.ts";
import { queryAt } from "../harness/store-places.ts";
import { fullDisk, type StoreFault } from "./disturbances.ts";

/** Options for opening the store of a test. */
export interface PlaceUse {
  /** True if the test causes faults of the store. In this case, the gateways wait at most a second for the store. */
  readonly isBroken: boolean;
}

/** A store, and the way in which the test's gateways use it. */
export interface Place {
  readonly name: string;
  /** Number of gateways that share the store. */
  readonly replicas: number;
  /** Environment variables of a gateway with this store, except the data folder. */
  readonly environment: Readonly<Record<string, string>>;
  /** The faults that the test can cause in this store. */
  readonly faults: readonly StoreFault[];
  /** Returns all stored submissions. Gateways may serve at the same time. */
  records(firstData: string): Promise<readonly SubmissionRecord[]>;
  /** Returns the running time of the store, in milliseconds. */
  running(firstData: string): Promise<number>;
  /** Adds to the store's running time, in milliseconds, while no gateway runs. */
  pass(firstData: string, milliseconds: number): Promise<void>;
}

const EVERY = "SELECT * FROM gateway_submissions ORDER BY number";
const RUNNING = "SELECT passed FROM gateway_running_time";

/** Returns the SQL that adds to the running time. */
function passing(milliseconds: number): string {
  return `UPDATE gateway_running_time SET passed = passed + ${milliseconds}`;
}

/** A store in an SQLite file, from which one gateway serves. */
export const sqlitePlace: Place = {
  name: "SQLite",
  replicas: 1,
  environment: {},
  faults: [fullDisk, sqlitePause()],
  async records(firstData) {
    const database = new DatabaseSync(join(firstData, "submissions.sqlite"), { readOnly: true });
    try {
      return database.prepare(EVERY).all().map(submissionFromRow);
    } finally {
      database.close();
    }
  },
  async running(firstData) {
    const database = new DatabaseSync(join(firstData, "submissions.sqlite"), { readOnly: true });
    try {
      return Number(database.prepare(RUNNING).get()?.passed);
    } finally {
      database.close();
    }
  },
  async pass(firstData, milliseconds) {
    const database = new DatabaseSync(join(firstData, "submissions.sqlite"));
    try {
      database.exec(passing(milliseconds));
    } finally {
      database.close();
    }
  },
};

/** Returns the fault in which another process locks the SQLite file, as a backup does. */
function sqlitePause(): StoreFault {
  let holder: DatabaseSync | undefined;
  return {
    name: "paused",
    begin({ dataFolder }) {
      holder = new DatabaseSync(join(dataFolder, "submissions.sqlite"));
      holder.exec("PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE");
    },
    end() {
      holder?.exec("ROLLBACK");
      holder?.close();
    },
  };
}

const WITHOUT_SPACE = `
  CREATE FUNCTION without_space() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$;
  CREATE TRIGGER without_space BEFORE INSERT OR UPDATE ON gateway_submissions
    EXECUTE FUNCTION without_space()`;
const WITH_SPACE = `
  DROP TRIGGER without_space ON gateway_submissions; DROP FUNCTION without_space`;

function postgresFaults(server: RunningPostgres, url: string): readonly StoreFault[] {
  return [
    { name: "paused", begin: () => server.pause(), end: () => server.resume() },
    { name: "stopped", begin: () => server.stop(), end: () => server.start() },
    {
      name: "full",
      begin: async () => void (await queryAt(url, WITHOUT_SPACE)),
      end: async () => void (await queryAt(url, WITH_SPACE)),
    },
  ];
}

/** Creates an empty PostgreSQL database that two gateways share. */
export async function createPostgresPlace(
  server: RunningPostgres,
  { isBroken }: PlaceUse,
): Promise<Place> {
  const url = await server.createDatabase();
  const impatient = new URL(url);
  // With these timeouts, no query waits longer than 800 milliseconds for a paused server.
  if (isBroken) impatient.search = "query_timeout=800&statement_timeout=800";
  return {
    name: "PostgreSQL",
    replicas: 2,
    environment: { DATABASE_URL: impatient.href },
    faults: postgresFaults(server, url),
    async records() {
      return (await queryAt(url, EVERY)).map((row) => submissionFromRow(Object(row)));
    },
    async running() {
      const [row] = await queryAt(url, RUNNING);
      return Number(Reflect.get(Object(row), "passed"));
    },
    pass: async (_, milliseconds) => void (await queryAt(url, passing(milliseconds))),
  };
}
