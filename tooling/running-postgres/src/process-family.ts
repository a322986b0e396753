import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

interface ProcessEntry {
  readonly id: number;
  readonly parent: number;
  /** The letter `ps` shows: `T` is stopped, `Z` has ended and waits to be collected. */
  readonly state: string;
}

/** Stops a process and its children with SIGSTOP; when this returns, all have stopped. */
export function pauseFamily(id: number): void {
  // The parent first, so that it makes no child behind our back.
  for (const family of [() => [id], () => childrenOf(id)]) {
    const members = family();
    for (const member of members) process.kill(member, "SIGSTOP");
    while (statesOf(members).some((state) => state !== "T" && state !== "Z"));
  }
}

/** Lets a process and its children go on, if they are paused. */
export function resumeFamily(id: number): void {
  if (!statesOf([id]).includes("T")) return;
  // The parent last: while it is stopped, its children's ids remain theirs even if they end.
  for (const member of [...childrenOf(id), id]) process.kill(member, "SIGCONT");
}

/** Ends a process and its children with SIGKILL; when this resolves, none is alive. */
export async function killFamily(id: number): Promise<void> {
  // Paused first, so that none sees another's end and reacts to it.
  pauseFamily(id);
  const members = [...childrenOf(id), id];
  for (const member of members) process.kill(member, "SIGKILL");
  while (statesOf(members).some((state) => state !== "Z")) await setTimeout(5);
}

/** The states of those of the processes that there are. */
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
        // `ID (NAME) STATE PARENT …`, where the name may hold spaces and brackets.
        const [state, parent] = readFileSync(`/proc/${id}/stat`, "latin1")
          .replace(/^.*\) /s, "")
          .split(" ");
        return `${id} ${parent} ${state}`;
      } catch {
        return ""; // It ended meanwhile.
      }
    });
}
