import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { proxy } from "hono/proxy";

/** A proxy as in the documentation of Hono, whose helper calls Node's `fetch`. */
const server = new Hono();
server.all("*", (context) => {
  const { pathname, search } = new URL(context.req.url);
  return proxy(`${process.env.INSURER}${pathname}${search}`, context.req);
});
serve({ fetch: server.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT) });
