import { Agent } from "node:http";
import express from "express";
import { createProxyMiddleware } from "http-proxy-middleware";

/** A proxy as in the documentation of http-proxy-middleware, with persistent connections. */
const server = express();
server.use(
  createProxyMiddleware({
    target: process.env.INSURER ?? "",
    agent: new Agent({ keepAlive: true, maxSockets: 64 }),
  }),
);
server.listen(Number(process.env.PORT), "127.0.0.1");
