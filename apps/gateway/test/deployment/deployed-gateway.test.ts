import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import { loadConfiguration } from "../../src/configuration/load.ts";
import { refuseUnsafeSettings } from "../../src/configuration/production.ts";
import { installProviders } from "../../src/configuration/providers.ts";
import { openSubmissionKeys } from "../../src/configuration/submission-store.ts";
import { sendRaw } from "../harness/send-raw.ts";
import { alertRules, selectorsIn } from "./alert-rules.ts";
import { manifest } from "./manifests.ts";
import { textOf } from "./repository.ts";

const { metadata, spec: pod } = manifest("Deployment").spec.template;
const [container] = pod.containers;
const [secret] = pod.volumes.flatMap((volume) => volume.secret ?? []);
const secretNames = secret?.items.map(({ path }) => path) ?? [];
const configurationText = manifest("ConfigMap").data["gateway.config.json"] ?? "";

let folder: GatewayFolder;
let environment: Record<string, string>;

/** Creates a folder like the one in the image, with packages and with the folders that Kubernetes mounts. */
beforeAll(() => {
  folder = makeGatewayFolder();
  for (const name of ["configuration", "secrets", "data"]) mkdirSync(join(folder.path, name));
  environment = {
    NODE_ENV: "production",
    GATEWAY_CONFIG: join(folder.path, "configuration/gateway.config.json"),
    GATEWAY_DATA: join(folder.path, "data"),
  };
});
afterAll(() => folder.remove());

function writeConfiguration(content: string): void {
  writeFileSync(join(folder.path, "configuration/gateway.config.json"), content);
}

function writeSecrets(): void {
  for (const name of secretNames)
    writeFileSync(join(folder.path, "secrets", name), Buffer.alloc(32, 7).toString("base64"));
}

async function faultsOf(work: () => unknown): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}

describe("the configuration in the Kubernetes manifests", () => {
  /** Returns all faults of the manifests' configuration. */
  async function faults(): Promise<readonly string[]> {
    writeConfiguration(configurationText);
    const loaded = loadConfiguration(environment, folder.path);
    const all = await Promise.all([
      faultsOf(() => refuseUnsafeSettings(loaded, environment)),
      faultsOf(() => openSubmissionKeys(loaded, environment, "serve")),
      faultsOf(() => installProviders(loaded, environment)),
    ]);
    return all.flat();
  }

  it("the production checks of the manifests' configuration find only missing secrets", async () => {
    const found = await faults();
    expect(found).toHaveLength(secretNames.length);
    for (const fault of found) expect(fault).toMatch(/: the file is missing or empty$/);
  });

  it("the production checks of the manifests' configuration find no fault if the secrets exist", async () => {
    writeSecrets();
    expect(await faults()).toEqual([]);
  });
});

describe("a gateway that starts with the manifests' and the image's settings", () => {
  let gateway: GatewayProcess;

  beforeAll(async () => {
    writeSecrets();
    // Without this setting, the stop of the gateway would wait for `noticeMs`.
    const configuration = { ...JSON.parse(configurationText), shutdown: { noticeMs: 0 } };
    writeConfiguration(JSON.stringify(configuration));
    const [, flags = ""] =
      /^ENTRYPOINT \["node", "(--[^"]+)"/m.exec(textOf("deploy/Dockerfile")) ?? [];
    expect(flags).toBe("--disable-proto=delete");
    const heap = container.env.find(({ name }) => name === "NODE_OPTIONS");
    gateway = await startGatewayProcess(folder.path, {
      ...environment,
      NODE_OPTIONS: `${heap?.value} ${flags}`,
    });
  });
  afterAll(async () => {
    expect((await gateway.stop()).code).toBe(0);
  });

  it.each(["startupProbe", "livenessProbe", "readinessProbe"] as const)(
    "the gateway answers the %s of the Kubernetes manifests with 200",
    async (probe) => {
      const { path } = container[probe].httpGet;
      expect((await fetch(gateway.operationsAddress + path)).status).toBe(200);
    },
  );

  it("the gateway answers a load balancer's readiness check, but refuses a check with an unknown host name", async () => {
    const [, method, path, version, host] =
      /^ +http-check send meth (\w+) uri (\S+) ver (\S+) hdr Host (\S+)$/m.exec(
        textOf("deploy/haproxy/haproxy.cfg"),
      ) ?? [];
    const check = (head: string): Promise<string> =>
      sendRaw(gateway.operationsAddress, `${method} ${path} ${head}connection: close\r\n\r\n`);
    expect(await check(`${version}\r\nhost: ${host}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await check(`${version}\r\nhost: somebody.example\r\n`)).toMatch(/^HTTP\/1\.1 421 /);
  });

  it("the gateway's metrics contain every metric that an alert rule uses", async () => {
    const path = metadata.annotations["prometheus.io/path"] ?? "";
    const text = await (await fetch(gateway.operationsAddress + path)).text();
    const asked = alertRules().flatMap(({ expr }) => selectorsIn(expr).map(({ metric }) => metric));
    for (const metric of asked.filter((name) => name !== "up"))
      expect(text).toContain(`# TYPE ${metric.replace(/_(bucket|count)$/, "")} `);
  });

  it("the image's health check succeeds for the running gateway and fails for an unused port", async () => {
    const [, command = ""] =
      /HEALTHCHECK .*\\\n +CMD (\[.*\])/.exec(textOf("deploy/Dockerfile")) ?? [];
    const [program, ...parameters]: string[] = JSON.parse(command);
    expect(program).toBe("node");
    const { port } = new URL(gateway.operationsAddress);
    const check = (operationsPort: string): Promise<unknown> =>
      promisify(execFile)(process.execPath, parameters, {
        env: { OPERATIONS_PORT: operationsPort },
      });
    await expect(check(port)).resolves.toBeDefined();
    await expect(check("1")).rejects.toMatchObject({ code: 1 });
  });
});
