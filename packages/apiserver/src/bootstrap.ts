/** What every cluster has from its first moment on. */
import type { KubeObject } from "@coxswain/machinery";
import type { ServerContext } from "./context.ts";
import { metaOf, prepareNewMeta } from "./registry/metadata.ts";
import { keyOf } from "./registry/served-resource.ts";
import { encodeForStorage } from "./registry/stored-object.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** The first address of the range from which Services take theirs. */
export const kubernetesServiceIp = "10.96.0.1";

export async function bootstrap(server: ServerContext): Promise<void> {
  const objects: { resource: string; object: KubeObject }[] = namespaces.map((name) => ({
    resource: "namespaces",
    object: namespaceNamed(name),
  }));
  objects.push({ resource: "services", object: kubernetesService() });
  await Promise.all(objects.map(({ resource, object }) => putIfAbsent(server, resource, object)));
}

const namespaceNamed = (name: string): KubeObject => ({
  kind: "Namespace",
  apiVersion: "v1",
  metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
});

const kubernetesService = (): KubeObject => ({
  kind: "Service",
  apiVersion: "v1",
  metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
  spec: {
    ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 6443 }],
    clusterIP: kubernetesServiceIp,
    clusterIPs: [kubernetesServiceIp],
    type: "ClusterIP",
    sessionAffinity: "None",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
  },
  status: { loadBalancer: {} },
});

async function putIfAbsent(server: ServerContext, name: string, object: KubeObject): Promise<void> {
  const resource = server.served.find("", "v1", name);
  if (resource === undefined) return;
  const meta = metaOf(object);
  const key = keyOf(resource, meta.namespace ?? "", meta.name ?? "");
  if ((await server.store.get(key)).entry !== undefined) return;
  prepareNewMeta(meta, server.clock.now(), server.random);
  await server.store.write(
    { op: "put", key, value: encodeForStorage(object, resource).value, expect: "absent" },
    { user: "system:apiserver" },
  );
}
