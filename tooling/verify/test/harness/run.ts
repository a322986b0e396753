import { spawn } from "node:child_process";
import { once } from "node:events";

/** Timeout for a hanging command, shorter than a test's, so that the failure names the command. */
const COMMAND_TIMEOUT_MS = 120_000;

/** The result of a command that has ended. */
export interface Ended {
  readonly code: number | null;
  /** The combined output of both streams. */
  readonly output: string;
}

/** Runs a command and waits for its end. */
export async function run(
  command: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Ended> {
  const [program, ...parameters] = command;
  const child = spawn(program, parameters, {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: COMMAND_TIMEOUT_MS,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const [code] = await once(child, "close");
  return { code, output };
}

/** Runs a command and returns its output; throws with the output if the exit code is not 0. */
export async function succeed(...parameters: Parameters<typeof run>): Promise<string> {
  const { code, output } = await run(...parameters);
  if (code !== 0) throw new Error(`${parameters[0].join(" ")} ended with ${code}:\n${output}`);
  return output;
}
