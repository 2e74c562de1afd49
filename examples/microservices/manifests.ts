/** Five servers as Kubernetes' objects: four Deployments and a StatefulSet, each behind a Service. */

export const image = "coxswain.example/shop:1";

/** Of every node: where the front is reached from outside. */
export const nodePort = 30_080;

const ledgerReplicas = 2;

export const manifests: readonly object[] = [
  ...deployed("catalog", { replicas: 2 }),
  ...deployed("prices", { replicas: 2 }),
  ...deployed("orders", { replicas: 2, env: [{ name: "LEDGER_REPLICAS", value: String(ledgerReplicas) }] }),
  ...deployed("gateway", { replicas: 3, service: { type: "NodePort", ports: [{ port: 80, targetPort: 8080, nodePort }] } }),
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "ledger" },
    spec: {
      serviceName: "ledger",
      replicas: ledgerReplicas,
      podManagementPolicy: "Parallel",
      ...templateOf("ledger", { volumeMounts: [{ name: "data", mountPath: "/data" }] }, { volumes: [{ name: "data", emptyDir: {} }] }),
    },
  },
  // Headless: it leads to no one in particular, but gives each replica a name.
  service("ledger", { clusterIP: "None", ports: [{ port: 8080 }] }),
];

interface Deployed {
  readonly replicas: number;
  readonly env?: readonly object[];
  readonly service?: object;
}

function deployed(name: string, { replicas, env = [], service: spec = { ports: [{ port: 80, targetPort: 8080 }] } }: Deployed): object[] {
  return [
    { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec: { replicas, ...templateOf(name, { env }, {}) } },
    service(name, spec),
  ];
}

function service(name: string, spec: object): object {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { selector: { app: name }, ...spec } };
}

function templateOf(app: string, container: object, pod: object): object {
  const probe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 1 };
  // Proxies have stopped to lead to it before it stops to answer.
  const lifecycle = { preStop: { sleep: { seconds: 3 } } };
  const main = { name: "main", image, args: [`/servers/${app}.ts`], readinessProbe: probe, lifecycle, ...container };
  // Replicas on different nodes, as far as there are enough.
  const spread = { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" };
  const topologySpreadConstraints = [{ ...spread, labelSelector: { matchLabels: { app } } }];
  const spec = { terminationGracePeriodSeconds: 8, topologySpreadConstraints, containers: [main], ...pod };
  return { selector: { matchLabels: { app } }, template: { metadata: { labels: { app } }, spec } };
}
