import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { type GatewayProcess, startGatewayProcess } from "@insurance-gateway/running-gateway";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Chance, createChance, faultRounds, seedOfRun } from "../chaos/chance.ts";
import { runsInProcess } from "../harness/command-line.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { killWhen } from "../harness/operator-folder.ts";
import { rowsIn } from "../harness/random-tables.ts";
import { newSendable, type Sendable, send } from "../harness/store-calls.ts";
import { type StoreInsurers, startStoreInsurers } from "../harness/store-insurers.ts";

const REFUSED = "503 STORE_UNAVAILABLE unknown after_check";
const SUFFIXES = ["", "-wal", "-shm", ".count", ".lock"];
const UNPRIVILEGED = new URL("../chaos/preloads/unprivileged.ts", import.meta.url).href;
const seed = seedOfRun();

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let time: HeldTime;
let insurers: StoreInsurers;
let gateway: GatewayInProcess;
let chance: Chance;
/** The environment variable for the store's database. Without the variable, the store is a file in the data folder. */
let place: { readonly DATABASE_URL?: string };
/** All submissions that were sent in the test. */
let sent: Sendable[];
beforeEach(async () => {
  // Each test stops the clock at the real time, because a gateway whose clock is a minute behind refuses new tokens.
  time = holdTime();
  chance = createChance(seed);
  sent = [];
  place = {};
  insurers = await startStoreInsurers();
  gateway = await startInProcess(insurers.configuration, {}, { time });
});
afterEach(async () => {
  await gateway.stop();
  await insurers.close();
});

const pathOf = (name: string): string => join(gateway.folder.path, name);
const fileOf = (suffix: string): string => pathOf(`data/submissions.sqlite${suffix}`);

const run = (...words: readonly string[]): ReturnType<ReturnType<typeof runsInProcess>> =>
  runsInProcess({ folder: gateway.folder.path, address: "" })(words, { environment: place });

async function startAgain(): Promise<void> {
  const { folder } = gateway;
  gateway = await startInProcess(insurers.configuration, place, { time, folder });
}

/** Sends some new submissions at once, and runs `work` while these submissions are in progress. */
async function sendDuring(work: () => Promise<void> | void): Promise<readonly string[]> {
  const some = Array.from({ length: 4 }, newSendable);
  sent.push(...some);
  const sending = some.map((sendable) => send(gateway, sendable));
  await new Promise((resolve) => setTimeout(resolve, chance.between(0, 40)));
  await work();
  return (await Promise.all(sending)).map(({ says }) => says);
}

/** Sends all submissions again until none is in progress, and returns the answers. */
async function sendAllAgain(): Promise<readonly string[]> {
  for (;;) {
    await time.tick();
    const says: string[] = [];
    for (const sendable of sent) says.push((await send(gateway, sendable)).says);
    if (!says.some((one) => /^(409|504)/.test(one))) return says;
  }
}

/** Expects that every submission reached its insurer at most once. */
function expectNoneDoubled(): void {
  const counts = Map.groupBy(
    insurers.applications.arrivals().filter(({ method }) => method === "POST"),
    ({ body }) => body,
  );
  for (const [body, arrivals] of counts) expect(arrivals, `seed ${seed}: ${body}`).toHaveLength(1);
}

describe(`a store whose disk fails in ${faultRounds()} rounds`, () => {
  it("the insurer receives each submission once while the store's files are moved away and back", async () => {
    for (let round = 0; round < faultRounds(); round++) {
      const suffix = SUFFIXES[round % SUFFIXES.length] ?? "";
      await sendDuring(() => renameSync(fileOf(suffix), pathOf("moved")));
      await sendDuring(() => renameSync(pathOf("moved"), fileOf(suffix)));
      expect(new Set(await sendAllAgain())).toEqual(new Set(["201"]));
    }
    expectNoneDoubled();
  });

  it("the insurer receives each submission once if the store's file cannot be opened at the start", async () => {
    for (let round = 0; round < faultRounds(); round++) {
      await sendDuring(() => {});
      await gateway.end();
      mkdirSync(fileOf("-wal"));
      await startAgain();
      const refused = await sendDuring(() => {});
      expect(new Set(refused)).toEqual(new Set(["503 STORE_UNAVAILABLE unknown same_key"]));
      rmSync(fileOf("-wal"), { recursive: true });
      expect(new Set(await sendAllAgain())).toEqual(new Set(["201"]));
    }
    expectNoneDoubled();
  });

  it("the gateway sends no submission again after the store's files were removed and a backup was restored", async () => {
    for (let round = 0; round < faultRounds(); round++) {
      sent = [];
      await sendDuring(() => {});
      rmSync(pathOf("backup"), { force: true });
      await rowsIn(
        { data: pathOf("data"), databaseUrl: undefined },
        `VACUUM INTO '${pathOf("backup")}'`,
      );
      await sendDuring(() => {
        for (const name of readdirSync(pathOf("data")))
          if (name.startsWith("submissions.sqlite")) rmSync(join(pathOf("data"), name));
      });
      await gateway.end();
      expect((await run("serve")).code).toBe(78);
      expect(existsSync(fileOf(""))).toBe(false);
      expect(await run("store", "restore", "backup")).toMatchObject({ code: 0 });
      await startAgain();
      const says = await sendAllAgain();
      expect(new Set(says.slice(0, 4))).toEqual(new Set(["201"]));
      expect(new Set(says.slice(4))).toEqual(new Set([REFUSED]));
      expect(await run("submissions", "accept-restore")).toMatchObject({ code: 0 });
    }
    expectNoneDoubled();
  });

  it("the insurer receives each submission once while the store is copied to PostgreSQL and back, and gateways are killed", async () => {
    for (let round = 0; round < faultRounds(); round++) {
      await sendDuring(() => {});
      await gateway.end();
      const isFile = place.DATABASE_URL === undefined;
      const to = isFile ? await server.createDatabase() : pathOf("data");
      if (!isFile)
        for (const name of readdirSync(pathOf("data")))
          if (name.startsWith("submissions.sqlite")) rmSync(join(pathOf("data"), name));
      const copy = ["store", "copy", "--to", to];
      await killWhen(gateway.folder, { place: { ...place }, parameters: copy }, async () => {
        await new Promise((resolve) => setTimeout(resolve, chance.between(200, 1_200)));
      });
      const again = await run(...copy);
      // The second command fails with this message if the copy was complete before the kill.
      if (again.code !== 0) expect(again.stderr).toContain("This store was copied to");
      place = isFile ? { DATABASE_URL: to } : {};
      await startAgain();
      expect(new Set(await sendAllAgain())).toEqual(new Set(["201"]));
    }
    expectNoneDoubled();
  });
});

/** A loss of the store's data, while a gateway serves or after a kill. */
interface Loss {
  readonly title: string;
  /** True if the gateway runs during the loss, and is killed afterwards. */
  readonly isRunning: boolean;
  readonly lose: () => void;
}

const losses: readonly Loss[] = [
  {
    title: "log is removed after a kill",
    isRunning: false,
    lose: () => rmSync(fileOf("-wal")),
  },
  {
    title: "log is emptied after a kill",
    isRunning: false,
    lose: () => truncateSync(fileOf("-wal"), 0),
  },
  {
    title: "log is cut off after a kill",
    isRunning: false,
    lose: () =>
      truncateSync(fileOf("-wal"), Math.floor(chance.between(0, statSync(fileOf("-wal")).size))),
  },
  {
    title: "files are overwritten with older files",
    isRunning: true,
    lose() {
      for (const suffix of ["", "-wal"]) copyFileSync(pathOf(`older${suffix}`), fileOf(suffix));
    },
  },
  {
    title: "log is removed while a gateway serves",
    isRunning: true,
    lose() {
      for (const suffix of ["-wal", "-shm"]) rmSync(fileOf(suffix));
    },
  },
];

describe(`a store of a separate gateway process, in ${faultRounds()} rounds,`, () => {
  let running: GatewayProcess | undefined;
  beforeEach(() => gateway.end());
  afterEach(async () => {
    await running?.stop("SIGKILL");
    running = undefined;
  });

  const start = async (environment: Readonly<Record<string, string>> = {}): Promise<void> => {
    running = await startGatewayProcess(gateway.folder.path, environment);
  };
  const sendTo = async (sendable: Sendable): Promise<string> => {
    const { token } = gateway;
    const called = { address: running?.address ?? "", token };
    return send(called, sendable).then(
      ({ says }) => says,
      () => "no answer",
    );
  };
  const sendSome = async (): Promise<readonly string[]> => {
    const some = Array.from({ length: 4 }, newSendable);
    sent.push(...some);
    return Promise.all(some.map(sendTo));
  };
  const sendSentAgain = async (): Promise<readonly string[]> => {
    const says: string[] = [];
    for (const sendable of sent) says.push(await sendTo(sendable));
    return says;
  };

  it.each(losses)(
    "the gateway sends no submission again if the store's $title",
    async ({ isRunning, lose }) => {
      for (let round = 0; round < faultRounds(); round++) {
        sent = [];
        await start();
        expect(new Set(await sendSome())).toEqual(new Set(["201"]));
        for (const suffix of ["", "-wal"]) copyFileSync(fileOf(suffix), pathOf(`older${suffix}`));
        expect(new Set(await sendSome())).toEqual(new Set(["201"]));
        const sending = sendSome();
        if (isRunning) lose();
        await sending;
        if (isRunning)
          for (const says of await sendSentAgain()) expect(says).toMatch(/^503 STORE_UNAVAILABLE/);
        await running?.stop("SIGKILL");
        if (!isRunning) lose();
        await start();
        const says = await sendSentAgain();
        for (const one of says)
          expect(one).toMatch(/^(201|409|504|503 STORE_UNAVAILABLE unknown after_check)/);
        expectNoneDoubled();
        // The command `accept-restore` fails if the store has lost no data.
        await run("submissions", "accept-restore");
        expect(new Set(await sendSome())).toEqual(new Set(["201"]));
        await running?.stop();
      }
    },
  );

  it("a gateway whose data folder is read-only does not start but names the remedy, and starts when the folder is writable", async () => {
    const user = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);
    const environment = { NODE_OPTIONS: `--import=${UNPRIVILEGED}`, USER_ID: String(user) };
    const names = readdirSync(gateway.folder.path, { recursive: true, encoding: "utf8" });
    for (const name of ["", ...names]) chownSync(pathOf(name), user, -1);
    for (let round = 0; round < faultRounds(); round++) {
      await start(environment);
      await sendSome();
      await running?.stop();
      chmodSync(pathOf("data"), 0o555);
      await expect(start(environment)).rejects.toThrow(
        /"code":78.*SQLITE_[A-Z]+ EACCES.*in a folder that this user can write/,
      );
      chmodSync(pathOf("data"), 0o755);
      chmodSync(fileOf(".count"), 0);
      await expect(start(environment)).rejects.toThrow(/"code":78.*\(EACCES\)/);
      chmodSync(fileOf(".count"), 0o644);
      await start(environment);
      expect(new Set(await sendSentAgain())).toEqual(new Set(["201"]));
      await running?.stop();
    }
    expectNoneDoubled();
  });
});
