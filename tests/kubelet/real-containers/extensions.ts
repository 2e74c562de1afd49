/** What extends an API server from Pods: the objects, and how they are made. */
import { join } from "node:path";
import { certificateFor } from "../../integration/webhook-server.ts";
import { images } from "../containerd/images.ts";
import { podSpec } from "./manifests.ts";
import type { RealCluster } from "./real-cluster.ts";
import { nodeMounts, nodeVolumes } from "./service-pods.ts";

/** As much of a cluster as these tests need, be it of one node or of several. */
export type ExtendedCluster = Pick<RealCluster, "apply" | "kubectl" | "attempt" | "env">;

const agentFile = join(import.meta.dirname, "extension-agent.mjs");

const container = {
  image: images.shell,
  command: [process.execPath, agentFile],
  ports: [{ containerPort: 8443 }],
  readinessProbe: { httpGet: { path: "/", port: 8443, scheme: "HTTPS" }, periodSeconds: 1, timeoutSeconds: 10 },
  volumeMounts: [...nodeMounts, { name: "tls", mountPath: "/tls", readOnly: true }],
};
const volumes = [...nodeVolumes, { name: "tls", secret: { secretName: "agent-tls" } }];

const deployment = (name: string, replicas: number): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: podSpec(container, { volumes, terminationGracePeriodSeconds: 10 }) },
  },
});

const service = (name: string): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 443, targetPort: 8443 }] },
});

const admission = (kind: "Mutating" | "Validating", clientConfig: object): object => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: `${kind}WebhookConfiguration`,
  metadata: { name: "agent" },
  webhooks: [
    {
      name: `${kind.toLowerCase()}.example.com`,
      clientConfig,
      rules: [{ operations: ["CREATE", "UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      objectSelector: { matchLabels: { checked: "yes" } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
    },
  ],
});

const version = (name: string, storage: boolean, properties: object): object => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
});

const gadgets = (clientConfig: object): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList" },
    versions: [
      version("v1", true, { address: { type: "string" } }),
      version("v2", false, { host: { type: "string" }, port: { type: "integer" } }),
    ],
    conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
  },
});

/** Stored in the other version. */
const gadget = { apiVersion: "example.com/v2", kind: "Gadget", metadata: { name: "g" }, spec: { host: "h.example.com", port: 80 } };

/** Made once the Pods are ready: webhooks `hook` with several Pods, and the server `boats` with one. */
export async function extendCluster({ apply, kubectl }: ExtendedCluster): Promise<void> {
  const { cert, key, caBundle } = certificateFor({ dns: ["hook.default.svc", "boats.default.svc"] });
  const published = JSON.parse(await kubectl("get configmap extension-apiserver-authentication -n kube-system -o json"));
  const frontProxy: string = published.data["requestheader-client-ca-file"];
  const stringData = { "tls.crt": cert, "tls.key": key, "front-proxy-ca.crt": frontProxy };
  await apply(
    { apiVersion: "v1", kind: "Secret", metadata: { name: "agent-tls" }, stringData },
    ...[service("hook"), deployment("hook", 2), service("boats"), deployment("boats", 1)],
  );
  for (const name of ["hook", "boats"]) await kubectl(`rollout status deployment/${name} --timeout=5m`);
  const at = (path: string): object => ({ service: { namespace: "default", name: "hook", path }, caBundle });
  await apply(admission("Mutating", at("/mutate")), admission("Validating", at("/validate")), gadgets(at("/convert")), {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1.boats.example.com" },
    spec: {
      ...{ group: "boats.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 15, caBundle },
      service: { namespace: "default", name: "boats" },
    },
  });
  await kubectl("wait --for=condition=Available apiservice/v1.boats.example.com --timeout=5m");
  await kubectl("wait --for=condition=Established crd/gadgets.example.com --timeout=5m");
  await kubectl("apply -f -", JSON.stringify(gadget));
}

export const checkedMap = (name: string, data: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default", labels: { checked: "yes" } }, data });
