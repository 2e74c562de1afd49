/** Paths of a kubelet. @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/ */

export type Route =
  | {
      readonly kind: "exec" | "attach" | "containerLogs";
      readonly namespace: string;
      readonly pod: string;
      readonly uid: string | undefined;
      readonly container: string;
    }
  | { readonly kind: "portForward"; readonly namespace: string; readonly pod: string; readonly uid: string | undefined }
  | { readonly kind: "pods" | "runningpods" | "metrics" | "resourceMetrics" | "probeMetrics" | "configz" | "summary" | "healthz" };

const fixed: ReadonlyMap<string, Route> = new Map([
  ["pods", { kind: "pods" }],
  ["runningpods", { kind: "runningpods" }],
  ["metrics", { kind: "metrics" }],
  ["metrics/resource", { kind: "resourceMetrics" }],
  ["metrics/probes", { kind: "probeMetrics" }],
  ["configz", { kind: "configz" }],
  ["stats/summary", { kind: "summary" }],
  ["healthz", { kind: "healthz" }],
  ["healthz/ping", { kind: "healthz" }],
  ["healthz/log", { kind: "healthz" }],
  ["healthz/syncloop", { kind: "healthz" }],
]);

/** Undefined for what is none. */
export function routeOf(path: string): Route | undefined {
  const found = fixed.get(path.replace(/^\/|\/$/g, ""));
  if (found !== undefined) return found;
  const [kind, ...rest] = path.split("/").slice(1).map(decoded);
  if (rest.includes("") || rest.includes(undefined)) return undefined;
  const [namespace = "", pod = "", third, fourth] = rest;
  switch (kind) {
    case "containerLogs":
      return rest.length === 3 ? { kind, namespace, pod, uid: undefined, container: third ?? "" } : undefined;
    case "exec":
    case "attach":
      if (rest.length === 3) return { kind, namespace, pod, uid: undefined, container: third ?? "" };
      return rest.length === 4 ? { kind, namespace, pod, uid: third, container: fourth ?? "" } : undefined;
    case "portForward":
      return rest.length === 2 || rest.length === 3 ? { kind, namespace, pod, uid: third } : undefined;
    default:
      return undefined;
  }
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
