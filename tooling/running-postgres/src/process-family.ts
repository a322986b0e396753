import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

interface ProcessEntry {
  readonly id: number;
  readonly parent: number;
  /** The state letter of `ps`: `T` is stopped, `Z` has ended but is not yet collected. */
  readonly state: string;
}

/** Stops a process and its children with SIGSTOP; all have stopped when this function returns. */
export function pauseFamily(id: number): void {
  // The parent stops before its children, so that the parent cannot start another child meanwhile.
  for (const family of [() => [id], () => childrenOf(id)]) {
    const members = family();
    for (const member of members) process.kill(member, "SIGSTOP");
    while (statesOf(members).some((state) => state !== "T" && state !== "Z"));
  }
}

/** Resumes a process and its children if they are paused. */
export function resumeFamily(id: number): void {
  if (!statesOf([id]).includes("T")) return;
  // The parent resumes after its children: while the parent is stopped, the ids of ended children are not reused.
  for (const member of [...childrenOf(id), id]) process.kill(member, "SIGCONT");
}

/** Kills a process and its children with SIGKILL; none is alive when the promise resolves. */
export async function killFamily(id: number): Promise<void> {
  // All processes are paused before they are killed, so that no process can react to the end of another process.
  pauseFamily(id);
  const members = [...childrenOf(id), id];
  for (const member of members) process.kill(member, "SIGKILL");
  while (statesOf(members).some((state) => state !== "Z")) await setTimeout(5);
}

/** Returns the state letters of the processes that still exist. */
export function statesOf(ids: readonly number[]): readonly string[] {
  return listProcesses()
    .filter(({ id }) => ids.includes(id))
    .map(({ state }) => state);
}

function childrenOf(id: number): readonly number[] {
  return listProcesses()
    .filter(({ parent }) => parent === id)
    .map((child) => child.id);
}

function listProcesses(): readonly ProcessEntry[] {
  // Slim Linux images have no `ps`, and macOS has no `/proc`.
  const lines = process.platform === "linux" ? readProc() : runPs();
  return lines.flatMap((line) => {
    const [, id, parent, state] = /^\s*(\d+)\s+(\d+)\s+(\w)/.exec(line) ?? [];
    return state === undefined ? [] : [{ id: Number(id), parent: Number(parent), state }];
  });
}

function runPs(): readonly string[] {
  const parameters = ["-A", "-o", "pid=,ppid=,state="];
  return execFileSync("ps", parameters, { encoding: "utf8" }).split("\n");
}

function readProc(): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        // `ID (NAME) STATE PARENT …`; the name may contain spaces and brackets.
        const [state, parent] = readFileSync(`/proc/${id}/stat`, "latin1")
          .replace(/^.*\) /s, "")
          .split(" ");
        return `${id} ${parent} ${state}`;
      } catch {
        return ""; // The process has ended meanwhile.
      }
    });
}
