import { Agent } from "node:http";
import express from "express";
import { createProxyMiddleware } from "http-proxy-middleware";

/** A proxy as the documentation of http-proxy-middleware writes it, with connections that stay open. */
const server = express();
server.use(
  createProxyMiddleware({
    target: process.env.INSURER ?? "",
    agent: new Agent({ keepAlive: true, maxSockets: 64 }),
  }),
);
server.listen(Number(process.env.PORT), "127.0.0.1");
