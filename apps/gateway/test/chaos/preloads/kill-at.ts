// A gateway loads this file before its program. The file kills the process at the submission's step in KILL_AT.
import { subscribe } from "node:diagnostics_channel";

const point = process.env.KILL_AT;

function end(): void {
  process.kill(process.pid, "SIGKILL");
}

// Only undici reports the moment when the last byte of the request was passed to the operating system.
if (point === "after_send")
  subscribe("undici:request:bodySent", (message) => {
    if (read(read(message, "request"), "method") === "POST") end();
  });
else
  subscribe("insurance-gateway:submission", (message) => {
    if (read(message, "point") === point) end();
  });

function read(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
