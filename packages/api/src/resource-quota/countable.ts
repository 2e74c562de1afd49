/** What the names that quotas have for amounts stand for. @see https://kubernetes.io/docs/concepts/policy/resource-quotas/ */

/** Kinds of which more is measured than their number. */
export type MeasuredKind = "pods" | "services" | "claims" | "deviceClaims";

export type Countable = { readonly kind: MeasuredKind } | { readonly kind: "objects"; readonly group: string; readonly resource: string };

/** Those that are counted without `count/` in front. */
const legacy = ["configmaps", "secrets", "replicationcontrollers", "resourcequotas"];

const storageClasses = ".storageclass.storage.k8s.io/";

/** What ends the name of a DeviceClass in a quota. */
export const devicesOfClass = ".deviceclass.resource.k8s.io/devices";

/** What has to be looked at for this name of a quota; undefined for a name that means nothing here. */
export function countableOf(name: string): Countable | undefined {
  if (isOf(name, "pods") || isComputeName(name)) return { kind: "pods" };
  if (isOf(name, "services") || name === "services.loadbalancers" || name === "services.nodeports") return { kind: "services" };
  if (isOf(name, "persistentvolumeclaims") || name === "requests.storage" || name.includes(storageClasses)) return { kind: "claims" };
  if (name === "count/resourceclaims.resource.k8s.io" || name.endsWith(devicesOfClass)) return { kind: "deviceClaims" };
  if (legacy.includes(name)) return { kind: "objects", group: "", resource: name };
  if (!name.startsWith("count/")) return undefined;
  const [resource = "", ...group] = name.slice("count/".length).split(".");
  return { kind: "objects", group: group.join("."), resource };
}

const isOf = (name: string, resource: string): boolean => name === resource || name === `count/${resource}`;

const compute = /^(requests\.|limits\.)?(cpu|memory|ephemeral-storage)$|^(requests\.)?hugepages-|^requests\.[^/]+\/.+/;

const isComputeName = (name: string): boolean => compute.test(name) && !name.includes(storageClasses);
