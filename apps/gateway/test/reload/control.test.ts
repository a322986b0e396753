import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { acceptCommands, type ProcessCommands, sendToProcesses } from "../../src/reload/control.ts";

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "control-"));
});
afterEach(() => rmSync(data, { recursive: true }));

const orders: ProcessCommands = {
  reload: async () => ({ result: "unchanged" }),
  dropLookups: async () => ({ dropped: 3 }),
};

it("a gateway process answers commands until the process stops, even if a client never completes a command", async () => {
  const stop = await acceptCommands(data, orders, { warn: () => {} });
  expect(await sendToProcesses(data, "dropLookups")).toEqual([{ pid: process.pid, dropped: 3 }]);
  const [name = ""] = readdirSync(join(data, "serving"));
  const silent = connect(join(data, "serving", name));
  silent.on("error", () => {});
  await once(silent, "connect");
  const letters = setInterval(() => silent.write("x"), 100);
  onTestFinished(() => clearInterval(letters));
  const closed = once(silent, "close");
  await stop();
  await closed;
  expect(await sendToProcesses(data, "dropLookups")).toEqual([]);
});

it("only the owner of the data folder can send commands to a gateway process, even if an earlier process left files", async () => {
  const folder = join(data, "serving");
  mkdirSync(folder);
  writeFileSync(join(folder, String(process.pid)), "of an earlier process with this number");
  writeFileSync(join(folder, "1"), "of a process that was killed");
  const stop = await acceptCommands(data, orders, { warn: unexpected });
  expect(await sendToProcesses(data, "reload")).toEqual([
    { pid: process.pid, result: "unchanged" },
  ]);
  await stop();
  expect(readdirSync(folder)).toEqual(["1"]);
  rmSync(folder, { recursive: true });
  const again = await acceptCommands(data, orders, { warn: unexpected });
  expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
  await again();
});

it("a gateway process sends no answer to an unknown command", async () => {
  const stop = await acceptCommands(data, orders, { warn: unexpected });
  const client = connect({ path: join(data, "serving", String(process.pid)), allowHalfOpen: true });
  client.end("stop");
  expect(await text(client)).toBe("");
  await stop();
});

it("a gateway process that commands cannot reach logs this fault, and stops normally", async () => {
  const warnings: unknown[] = [];
  const file = join(data, "file");
  writeFileSync(file, "no folder");
  const stop = await acceptCommands(file, orders, {
    warn: (line: unknown) => void warnings.push(line),
  });
  expect(warnings).toEqual(["the reload command cannot reach this process"]);
  expect(await sendToProcesses(file, "reload")).toEqual([]);
  await stop();
});

function unexpected(): never {
  throw new TypeError("The process must not log a warning");
}
