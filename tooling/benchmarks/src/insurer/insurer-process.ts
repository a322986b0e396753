import { createServer, type ServerResponse } from "node:http";
import { clock } from "../clock.ts";
import type { InsurerBehaviour, InsurerOrder, InsurerReport } from "./behaviour.ts";

serve();

/** Answers each request as it was last told to, and notes when it came. */
function serve(): void {
  const arrivedAt: number[] = [];
  let behaviour: InsurerBehaviour = { afterMs: 0, status: 503, body: "" };

  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    arrivedAt.push(clock());
    const { afterMs, body, refusedKey, status } = behaviour;
    const isRefused = refusedKey !== undefined && request.headers["x-agency-key"] === refusedKey;
    const now = isRefused ? { afterMs, status: 401, body: "" } : { afterMs, status, body };
    request.resume();
    request.once("end", () => {
      if (now.afterMs === 0) answer(response, now);
      else setTimeout(() => answer(response, now), now.afterMs);
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address !== null) report({ port: address.port });
  });

  process.on("message", (order: InsurerOrder) => {
    if ("report" in order) return report({ arrivedAt: Float64Array.from(arrivedAt) });
    behaviour = order.behave;
    report({ behaves: true });
  });
  process.once("disconnect", () => process.exit());
}

function answer(response: ServerResponse, { body, status }: InsurerBehaviour): void {
  response.writeHead(status, {
    "content-length": Buffer.byteLength(body),
    ...(body === "" ? {} : { "content-type": "application/json" }),
  });
  response.end(body);
}

function report(said: InsurerReport): void {
  process.send?.(said);
}
