import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const guard = fileURLToPath(new URL("../src/guard.sh", import.meta.url));

/** A process that holds a guard over a folder and over the process it is told of, as tests do. */
const owner = `
  const { spawn } = require("node:child_process");
  const [guard, folder, id] = process.argv.slice(1);
  const child = spawn("sh", [guard, folder], { stdio: ["pipe", "inherit", "inherit"], detached: true });
  child.stdin.write(id + "\\n", () => console.log("guarded"));
`;

test("a guard ends the process and removes the folder when its owner is killed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "running-postgres-"));
  const guarded = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"]);
  const owning = spawn(process.execPath, ["-e", owner, guard, folder, String(guarded.pid)]);
  await once(owning.stdout, "data");
  expect(existsSync(folder)).toBe(true);
  // The guard has its owner's output, so that closes when the guard has ended too.
  const ended = Promise.all([once(guarded, "exit"), once(owning, "close")]);
  guarded.kill("SIGSTOP");
  owning.kill("SIGKILL");
  expect(await ended).toEqual([
    [null, "SIGQUIT"],
    [null, "SIGKILL"],
  ]);
  expect(existsSync(folder)).toBe(false);
});
