import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** A registry on this machine. It passes requests for unknown packages on to the usual registry. */
export interface LocalRegistry {
  readonly address: string;
  /** Environment variables with which npm and pnpm publish to this registry. */
  readonly environment: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** Installs the registry verdaccio into a folder and starts it. */
export async function startRegistry(folder: string): Promise<LocalRegistry> {
  mkdirSync(folder, { recursive: true });
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  // A dependency of verdaccio requires a dist-tag that some registries lack.
  const manifest = { private: true, overrides: { "node-fetch": "2.7.0" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "verdaccio@6.10.4"];
  execFileSync("npm", install, { cwd: folder });
  writeFileSync(
    join(folder, "config.yaml"),
    [
      `storage: ${join(folder, "storage")}`,
      "uplinks:",
      `  upstream: { url: ${JSON.stringify(upstream)} }`,
      "packages:",
      "  '@insurance-gateway/*': { access: $all, publish: $all }",
      "  '**': { access: $all, proxy: upstream }",
      "max_body_size: 50mb",
      "log: { type: stdout, level: fatal }",
    ].join("\n"),
  );
  const port = await freePort();
  const program = join(folder, "node_modules/verdaccio/bin/verdaccio");
  const parameters = ["--config", join(folder, "config.yaml"), "--listen", `127.0.0.1:${port}`];
  const server = fork(program, parameters, {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // verdaccio sends one message when it starts to listen.
  await once(server, "message");
  const address = `http://127.0.0.1:${port}/`;
  const configuration = join(folder, "npmrc");
  // Anybody may publish here; npm only requires a token.
  const token = `//127.0.0.1:${port}/:_authToken=anybody`;
  // A release uses its `--registry` even if the scope has another one; here nothing listens at the scope's address.
  const scope = "@insurance-gateway:registry=http://127.0.0.1:9/";
  writeFileSync(configuration, `registry=${address}\n${token}\n${scope}\n`);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(p?npm)_/i.test(name));
  return {
    address,
    environment: {
      ...Object.fromEntries(inherited),
      NPM_CONFIG_USERCONFIG: configuration,
      npm_config_cache: join(folder, "cache"),
    },
    async stop() {
      const ended = once(server, "close");
      server.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}
