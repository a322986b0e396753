import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Ended, endOf, programEnvironment } from "@insurance-gateway/running-gateway";

/** The path of the program that is installed as `insurance-gateway`. */
export const program: string = fileURLToPath(
  new URL("../bin/insurance-gateway.js", import.meta.url),
);

/** The folder in which command lines run, and the gateway that they call. */
export interface Place {
  readonly folder: string;
  /** The base address of the gateway. */
  readonly address: string;
}

/** The options of a run of the command line. */
export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** The text on standard input. */
  readonly input?: string;
  /** Receives the started process. */
  readonly started?: (child: ChildProcess) => void;
}

/** Runs a command line to its end. */
export type Run = (parameters: readonly string[], options?: RunOptions) => Promise<Ended>;

/** Creates a function that runs command lines in a folder. */
export function runsIn({ address, folder }: Place): Run {
  return async (parameters, { environment = {}, input = "", started } = {}) => {
    const child = spawn(process.execPath, [program, ...parameters], {
      cwd: folder,
      env: programEnvironment({ GATEWAY_URL: address, ...environment }),
    });
    started?.(child);
    // A program that ends before it has read its whole input breaks the pipe.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    return endOf(child);
  };
}

/** Runs a bash script in which `insurance-gateway` is the program. */
export async function runScript(
  { address, folder }: Place,
  script: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const shim = `insurance-gateway() { "${process.execPath}" "${program}" "$@"; }`;
  const child = spawn("bash", ["-c", `${shim}\n${script}`], {
    cwd: folder,
    env: programEnvironment({ GATEWAY_URL: address, ...environment }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  return endOf(child);
}

/** Returns the flags of a motor application, in the order of the declaration. */
export function applicationFlags(afm: string): readonly string[] {
  return [
    "--policy-start-date=2026-12-01",
    "--policy-end-date=2027-12-01",
    "--vehicle-plate-number=ΙΚΥ-1234",
    "--vehicle-manufacturer-code=TOY",
    "--vehicle-model-code=YARIS",
    `--holder-afm=${afm}`,
    "--holder-full-name=Ελένη Παπαδοπούλου",
  ];
}

/** Returns the idempotency key that a run has printed. */
export function keyIn({ stderr }: Pick<Ended, "stderr">): string {
  return /^Idempotency-Key: (\S+)$/m.exec(stderr)?.[1] ?? "";
}
