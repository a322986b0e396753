// Loaded into a gateway before its own program: ends the process at the point of a submission's way that KILL_AT names.
import { subscribe } from "node:diagnostics_channel";

const point = process.env.KILL_AT;

function end(): void {
  process.kill(process.pid, "SIGKILL");
}

// The gateway itself does not see the moment when the last byte has gone to the system; its transport tells of it.
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
