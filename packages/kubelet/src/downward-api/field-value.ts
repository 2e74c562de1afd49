/**
 * What a fieldRef of a Pod stands for.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
 */
import { goQuote, validateQualifiedName } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";

export interface FieldContext {
  /** Of the node, the one it prefers first. */
  readonly hostIps: readonly string[];
  readonly podIps: readonly string[];
}

/** Fields that volumes show too. @throws Error in Kubernetes' words */
export function metadataValue({ metadata = {} }: Pod, path: string): string {
  const at = path.indexOf("['");
  if (at > 0 && path.endsWith("']")) return subscriptValue(metadata, path, path.slice(0, at), path.slice(at + 2, -2));
  switch (path) {
    case "metadata.annotations":
      return formatMap(metadata.annotations);
    case "metadata.labels":
      return formatMap(metadata.labels);
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    default:
      throw new Error(`unsupported fieldPath: ${path}`);
  }
}

/** Of environment variables. @throws Error in Kubernetes' words */
export function fieldValue(pod: Pod, path: string, { hostIps, podIps }: FieldContext): string {
  switch (path) {
    case "spec.nodeName":
    case "spec.host":
      return pod.spec?.nodeName ?? "";
    case "spec.serviceAccountName":
      return pod.spec?.serviceAccountName ?? "";
    case "status.hostIP":
      return hostIps[0] ?? "";
    case "status.hostIPs":
      return hostIps.join(",");
    case "status.podIP":
      return podIps[0] ?? "";
    case "status.podIPs":
      return podIps.join(",");
    default:
      return metadataValue(pod, path);
  }
}

function subscriptValue(metadata: NonNullable<Pod["metadata"]>, path: string, map: string, key: string): string {
  if (map !== "metadata.annotations" && map !== "metadata.labels") throw new Error(`fieldPath ${goQuote(path)} does not support subscript`);
  const problems = validateQualifiedName(map === "metadata.annotations" ? key.toLowerCase() : key);
  if (problems.length > 0) throw new Error(`invalid key subscript in ${path}: ${problems.join(";")}`);
  const values = map === "metadata.annotations" ? metadata.annotations : metadata.labels;
  return values !== undefined && Object.hasOwn(values, key) ? (values[key] ?? "") : "";
}

/** A line each, sorted. */
const formatMap = (map: Readonly<Record<string, string>> = {}): string =>
  Object.keys(map)
    .sort()
    .map((key) => `${key}=${goQuote(map[key] ?? "")}`)
    .join("\n");
