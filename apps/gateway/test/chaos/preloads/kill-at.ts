// Node loads this file before the gateway's program. It kills the process at the step of a submission that KILL_AT
// names.
import { subscribe } from "node:diagnostics_channel";

const point = process.env.KILL_AT;

function end(): void {
  process.kill(process.pid, "SIGKILL");
}

// The gateway does not see when the system has taken the last byte; its HTTP client reports this event.
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
