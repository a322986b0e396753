import { describe, expect, it } from "vitest";
import { configurationSchema } from "../../src/configuration/schema.ts";
import { longestCallMs } from "../../src/gateway.ts";
import { allManifests, manifest } from "./manifests.ts";
import { textOf } from "./repository.ts";

const { spec: deployment } = manifest("Deployment");
const { spec: pod, metadata: labelled } = deployment.template;
const [gateway] = pod.containers;
const configuration = JSON.parse(manifest("ConfigMap").data["gateway.config.json"] ?? "");

describe("the Kubernetes manifests", () => {
  it("all Kubernetes manifests use the same namespace, which is declared in one manifest", () => {
    const namespace = manifest("Namespace").metadata.name;
    for (const { kind, metadata } of allManifests())
      expect([kind, metadata.namespace]).toEqual([
        kind,
        kind === "Namespace" ? undefined : namespace,
      ]);
  });

  it("all selectors in the manifests match the labels of the gateway's pods", () => {
    const selectors = [
      deployment.selector.matchLabels,
      ...pod.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
      manifest("Service").spec.selector,
      manifest("PodDisruptionBudget").spec.selector.matchLabels,
      manifest("NetworkPolicy").spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual(labelled.labels);
  });

  it("the manifests use only ports that the container exposes and the configuration listens on", () => {
    const ports = Object.fromEntries(
      gateway.ports.map(({ containerPort, name }) => [name, containerPort]),
    );
    expect(ports).toEqual({
      http: configuration.listen.port,
      operations: configuration.operations.port,
    });
    expect(labelled.annotations["prometheus.io/port"]).toBe(String(ports.operations));
    const named = [
      ...manifest("Service").spec.ports.map(({ targetPort }) => targetPort),
      ...manifest("NetworkPolicy").spec.ingress.flatMap((rule) =>
        rule.ports.map(({ port }) => port),
      ),
    ];
    for (const name of named) expect(ports).toHaveProperty(name);
  });

  it("the manifests' probes use the operations port, and only the readiness probe requests the gateway's readiness", () => {
    const { livenessProbe, readinessProbe, startupProbe } = gateway;
    expect(startupProbe.httpGet).toEqual({ path: "/health/live", port: "operations" });
    expect(livenessProbe.httpGet).toEqual({ path: "/health/live", port: "operations" });
    expect(readinessProbe.httpGet).toEqual({ path: "/health/ready", port: "operations" });
  });

  it("Kubernetes gives a stopping process more time than the longest stop can take", () => {
    const [, margin = ""] =
      /STOP_MARGIN_MS = ([\d_]+);/.exec(textOf("apps/gateway/src/commands/serve.ts")) ?? [];
    const marginMs = Number(margin.replaceAll("_", ""));
    expect(marginMs).toBeGreaterThan(0);
    const whole = configurationSchema.parse(configuration);
    const longestMs = whole.shutdown.noticeMs + longestCallMs(whole) + marginMs;
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(longestMs);
  });

  it("a rolling update of the deployment starts a new process before an old process stops", () => {
    expect(deployment.strategy).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    expect(manifest("PodDisruptionBudget").spec.maxUnavailable).toBeLessThan(deployment.replicas);
  });

  it("the gateway's pod has no root user, no capabilities and no writable root file system", () => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(gateway.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it("the heap limit in the manifests leaves a quarter of the container's memory for other uses", () => {
    const options = gateway.env.find(({ name }) => name === "NODE_OPTIONS");
    const [, megabytes] = /^--max-old-space-size=(\d+)$/.exec(options?.value ?? "") ?? [];
    expect(gateway.resources.limits.memory).toBe("1Gi");
    expect(Number(megabytes)).toBeLessThanOrEqual(0.75 * 1024);
    expect(gateway.resources.requests.cpu).toBe("1");
  });
});

describe("the secrets in the Kubernetes manifests", () => {
  it("the manifests name secrets but contain no secret value", () => {
    expect(allManifests().map(({ kind }) => kind)).not.toContain("Secret");
    const inEnvironment = gateway.env.filter(({ valueFrom }) => valueFrom !== undefined);
    expect(inEnvironment.map(({ name }) => name)).toEqual(["DATABASE_URL"]);
    expect(JSON.stringify(allManifests())).not.toMatch(/postgres(ql)?:\/\//);
  });

  it("the manifests mount exactly the secret files that the configuration reads", () => {
    const [secret] = pod.volumes.flatMap((volume) => volume.secret ?? []);
    const read = [...JSON.stringify(configuration).matchAll(/"file":"([^"]+)"/g)].map(
      ([, file = ""]) => file,
    );
    expect(secret?.items.map(({ path }) => `../secrets/${path}`).toSorted()).toEqual(
      read.toSorted(),
    );
    expect(JSON.stringify(configuration)).not.toContain('"env"');
  });
});
