import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageVersion } from "../machine.ts";
import { freePort, memoryEnvironment, type Server, startServer } from "./processes.ts";

/** A proxy with which the gateway is compared. The proxy gives none of the gateway's guarantees. */
export interface Peer {
  readonly name: string;
  /** The installed version, such as `1.22.1`; null if the program is not installed. */
  readonly version: string | null;
  /** Starts the proxy in front of an insurer; resolves when the proxy is ready. */
  start(insurer: string): Promise<Server>;
}

/** The proxy to which every ratio refers. */
export const BARE_PROXY = "bare fastify + undici";

/**
 * Returns all proxies with which the gateway is compared. Some may not be installed; the caller omits these proxies.
 */
export function peers(): readonly Peer[] {
  return [
    nodePeer(BARE_PROXY, "bare", "fastify"),
    nodePeer("node:http + undici", "node-http", "undici"),
    programPeer("nginx", ["-v"], nginx),
    programPeer("haproxy", ["-v"], haproxy),
    programPeer("caddy", ["version"], caddy),
    nodePeer("@fastify/http-proxy", "fastify-http-proxy", "@fastify/http-proxy"),
    nodePeer("express + http-proxy-middleware", "express", "express"),
    nodePeer("hono + fetch", "hono", "hono"),
  ];
}

/** The environment variables of a proxy on Node.js. */
function nodePeerEnvironment(port: number, insurer: string): Record<string, string> {
  return { ...memoryEnvironment, PORT: String(port), INSURER: insurer, NODE_ENV: "production" };
}

function nodePeer(name: string, file: string, versionOf: string): Peer {
  return {
    name,
    version: packageVersion(versionOf),
    async start(insurer) {
      const port = await freePort();
      const path = fileURLToPath(new URL(`peers/${file}.ts`, import.meta.url));
      return startServer({
        command: [process.execPath, path],
        port,
        environment: nodePeerEnvironment(port, insurer),
      });
    },
  };
}

/** The start command of an installed program, whose files are in a separate folder. */
interface ProgramSettings {
  readonly parameters: readonly string[];
  readonly configuration: string;
}

function programPeer(
  name: string,
  askVersion: readonly string[],
  settings: (folder: string, port: number, insurer: string) => ProgramSettings,
): Peer {
  // Debian installs servers in folders that only root's PATH contains.
  const environment = { PATH: `${process.env.PATH}:/usr/sbin` };
  const { stderr, stdout } = spawnSync(name, askVersion, { encoding: "utf8", env: environment });
  return {
    name,
    version: /\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`)?.[0] ?? null,
    async start(insurer) {
      const port = await freePort();
      const folder = mkdtempSync(join(tmpdir(), `benchmark-${name}-`));
      const remove = (): void => rmSync(folder, { recursive: true, force: true });
      mkdirSync(join(folder, "temporary"));
      const { configuration, parameters } = settings(folder, port, new URL(insurer).host);
      writeFileSync(join(folder, "configuration"), configuration);
      try {
        const server = await startServer({
          command: [name, ...parameters],
          port,
          environment: { ...environment, HOME: folder, GOMAXPROCS: "1" },
        });
        return { ...server, stop: () => server.stop().finally(remove) };
      } catch (error) {
        remove();
        throw error;
      }
    },
  };
}

/** nginx with one worker, persistent connections to the insurer and no access log. */
function nginx(folder: string, port: number, insurer: string): ProgramSettings {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder}/temporary/${kind};`)
    .join("\n  ");
  return {
    parameters: ["-p", folder, "-c", join(folder, "configuration"), "-e", "/dev/null"],
    configuration: `daemon off;
master_process off;
pid ${folder}/pid;
events { worker_connections 4096; }
http {
  ${temporary}
  access_log off;
  keepalive_requests 1000000000;
  proxy_buffers 16 8k;
  proxy_max_temp_file_size 0;
  upstream insurer {
    server ${insurer};
    keepalive 64;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://insurer;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`,
  };
}

/** HAProxy with one thread, persistent connections to the insurer that all callers share, and no log. */
function haproxy(folder: string, port: number, insurer: string): ProgramSettings {
  return {
    parameters: ["-db", "-f", join(folder, "configuration")],
    configuration: `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 10s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend callers
  bind 127.0.0.1:${port}
  default_backend insurers
backend insurers
  server insurer ${insurer} pool-max-conn 64
`,
  };
}

/** Caddy on one core (GOMAXPROCS), without access log, TLS and admin API. */
function caddy(folder: string, port: number, insurer: string): ProgramSettings {
  const file = join(folder, "configuration");
  return {
    parameters: ["run", "--config", file, "--adapter", "caddyfile"],
    configuration: `{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  reverse_proxy ${insurer} {
    transport http {
      keepalive_idle_conns_per_host 64
    }
  }
}
`,
  };
}
