import { documentsOf, namesIn } from "./repository.ts";

const FOLDER = "deploy/kubernetes";

/** The common fields of every manifest. */
export interface AnyManifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

type Labels = Readonly<Record<string, string>>;

/** A selector of pods by their labels. */
export interface PodSelector {
  readonly matchLabels: Labels;
}

/** A health probe of Kubernetes. */
export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

/** The container of the gateway. */
export interface GatewayContainer {
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: object;
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: {
    readonly requests: { readonly cpu: string };
    readonly limits: { readonly memory: string };
  };
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}

/** The pod of the gateway. */
export interface GatewayPod {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly topologySpreadConstraints: readonly { readonly labelSelector: PodSelector }[];
  readonly containers: readonly [GatewayContainer];
  readonly volumes: readonly {
    readonly secret?: { readonly items: readonly { readonly path: string }[] };
  }[];
}

/** The fields of each manifest that the tests read, by the manifest's kind. */
export interface Manifests {
  readonly Namespace: AnyManifest;
  readonly ConfigMap: { readonly data: Labels };
  readonly Deployment: {
    readonly spec: {
      readonly replicas: number;
      readonly strategy: object;
      readonly selector: PodSelector;
      readonly template: {
        readonly metadata: { readonly labels: Labels; readonly annotations: Labels };
        readonly spec: GatewayPod;
      };
    };
  };
  readonly Service: {
    readonly spec: {
      readonly selector: Labels;
      readonly ports: readonly { readonly targetPort: string }[];
    };
  };
  readonly PodDisruptionBudget: {
    readonly spec: { readonly maxUnavailable: number; readonly selector: PodSelector };
  };
  readonly NetworkPolicy: {
    readonly spec: {
      readonly podSelector: PodSelector;
      readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[];
    };
  };
}

/** Returns every Kubernetes manifest of the repository. */
export function allManifests(): readonly AnyManifest[] {
  return (
    namesIn(FOLDER)
      .flatMap((name) => documentsOf(`${FOLDER}/${name}`))
      // A manifest of another form fails the test that reads it.
      .map((document) => document as AnyManifest)
  );
}

/**
 * Returns the only Kubernetes manifest of a kind.
 * @throws Error if the repository has no manifest of the kind, or several
 */
export function manifest<Kind extends keyof Manifests>(kind: Kind): Manifests[Kind] {
  const found: readonly unknown[] = allManifests().filter((one) => one.kind === kind);
  if (found.length !== 1) throw new Error(`There are ${found.length} manifests of ${kind}`);
  // A manifest of another form fails the test that reads it.
  return found[0] as Manifests[Kind];
}
