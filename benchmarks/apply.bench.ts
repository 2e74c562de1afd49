/**
 * What managed fields cost a write: a patch of one key, a PUT of an object that was parsed again, a status write, and
 * server-side apply with and without a change. The entries for the wire are part of each.
 * Prints one JSON line per measurement; the argument is how many rounds (50,000 unless given).
 */
import { builtinTypes } from "@coxswain/api";
import {
  type ApplyBy,
  applyObject,
  decodeManagedFields,
  encodeManagedFields,
  excluding,
  type ManagedFields,
  unmanaged,
  updateManagedFields,
} from "@coxswain/apply";
import { applyMergePatch, type KubeObject } from "@coxswain/machinery";

const rounds = Number(process.argv[2] ?? 50_000);
const now = "2026-01-01T00:00:00Z";

function writer(kind: string, apiVersion: string, group: string, version: string): ApplyBy {
  const type = builtinTypes.byKind(group, version, kind);
  if (type === undefined) throw new Error(`no type for ${kind}`);
  return { type, apiVersion, manager: "bench", now, force: false, empty: { apiVersion, kind } };
}

const configMaps = writer("ConfigMap", "v1", "", "v1");
const configMap: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "default", uid: "1", labels: { app: "web" } },
  data: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`setting-${i}`, `the value of setting number ${i}, all of it`])),
};

const deployments = writer("Deployment", "apps/v1", "apps", "v1");
const container = (name: string) => ({
  name,
  image: `registry.example.com/${name}:1.2.3`,
  ports: [{ containerPort: 8080, protocol: "TCP" }],
  env: Array.from({ length: 6 }, (_, i) => ({ name: `SETTING_${i}`, value: `value ${i}` })),
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "500m", memory: "256Mi" } },
  livenessProbe: { httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" }, periodSeconds: 10 },
  volumeMounts: [{ name: "config", mountPath: "/etc/config" }],
});
const deployment: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    namespace: "default",
    uid: "2",
    labels: { app: "web" },
    annotations: { "deployment.kubernetes.io/revision": "3" },
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [container("web"), container("sidecar")], volumes: [{ name: "config", configMap: { name: "settings" } }] },
    },
  },
  status: { replicas: 3, readyReplicas: 3, conditions: [{ type: "Available", status: "True" }] },
};

const created = (object: KubeObject, by: ApplyBy): ManagedFields => updateManagedFields(by.empty, object, unmanaged, by);
const alternately = <T>(make: (i: number) => T): readonly [T, T] => [make(0), make(1)];

const mapFields = created(configMap, configMaps);
const mapPatches = alternately((i) => ({ data: { "setting-7": `changed ${i}` } }));
const deploymentFields = created(deployment, deployments);
const puts = alternately((i) => ({
  ...structuredClone(deployment),
  spec: { ...structuredClone(deployment.spec as object), replicas: 4 + i },
}));
const status = alternately((i) => ({ ...deployment, status: { replicas: 3, readyReplicas: i } }));
const statusBy = { ...deployments, manager: "controller", subresource: "status", filter: excluding(["spec"]) };
const { status: _status, ...desired } = deployment;
const { uid: _uid, ...metadata } = desired.metadata ?? {};
const config: KubeObject = { ...desired, metadata };
const applied = applyObject(deployment, config, deploymentFields, { ...deployments, force: true });
const others = alternately((i) => ({ ...config, spec: { ...(config.spec as object), replicas: 5 + i } }));

const cases: readonly { readonly name: string; readonly run: (i: number) => unknown }[] = [
  { name: "ConfigMap: create", run: () => encodeManagedFields(created(configMap, configMaps)) },
  {
    name: "ConfigMap: merge patch of one key",
    run: (i) => encodeManagedFields(updateManagedFields(configMap, applyMergePatch(configMap, mapPatches[i % 2]), mapFields, configMaps)),
  },
  { name: "ConfigMap: the merge patch alone", run: (i) => applyMergePatch(configMap, mapPatches[i % 2]) },
  { name: "Deployment: create", run: () => encodeManagedFields(created(deployment, deployments)) },
  {
    name: "Deployment: PUT that scales",
    run: (i) => encodeManagedFields(updateManagedFields(deployment, puts[i % 2] ?? deployment, deploymentFields, deployments)),
  },
  {
    name: "Deployment: status write",
    run: (i) => encodeManagedFields(updateManagedFields(deployment, status[i % 2] ?? deployment, deploymentFields, statusBy)),
  },
  {
    name: "Deployment: apply of the same",
    run: () => encodeManagedFields(applyObject(deployment, structuredClone(config), applied.managed, deployments).managed),
  },
  {
    name: "Deployment: apply that scales",
    run: (i) =>
      encodeManagedFields(applyObject(deployment, others[i % 2] ?? config, applied.managed, { ...deployments, force: true }).managed),
  },
  { name: "Deployment: copying the config", run: () => structuredClone(config) },
  { name: "Deployment: reading stored entries", run: () => decodeManagedFields(encodeManagedFields(applied.managed)) },
];

for (const { name, run } of cases) {
  for (let i = 0; i < rounds / 10; i++) run(i);
  const start = performance.now();
  for (let i = 0; i < rounds; i++) run(i);
  const micros = ((performance.now() - start) / rounds) * 1_000;
  process.stdout.write(`${JSON.stringify({ name, rounds, micros: Number(micros.toPrecision(4)) })}\n`);
}
