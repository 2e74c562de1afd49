/**
 * What a name below the cluster's domain asks for.
 * @see https://github.com/kubernetes/dns/blob/master/docs/specification.md
 */

export type NameRequest =
  /** A name that only has others below it: the domain itself, `svc`, `pod`. */
  | { readonly kind: "between" }
  | { readonly kind: "namespace"; readonly namespace: string }
  | { readonly kind: "pod"; readonly namespace: string; readonly pod: string }
  | ({ readonly kind: "service" } & ServiceRequest)
  /** No such name can be. */
  | { readonly kind: "impossible" };

export interface ServiceRequest {
  readonly namespace: string;
  readonly service: string;
  /** Empty: all. */
  readonly endpoint: string;
  readonly port: string;
  readonly protocol: string;
}

/** `labels` are those before the domain, in lower case. */
export function parseName(labels: readonly string[]): NameRequest {
  const [kind, namespace, name, ...rest] = labels.toReversed();
  if (kind === undefined) return { kind: "between" };
  if (kind !== "svc" && kind !== "pod") return { kind: "impossible" };
  if (namespace === undefined) return { kind: "between" };
  if (rest.length > 2) return { kind: "impossible" };
  if (name === undefined) return { kind: "namespace", namespace };
  // CoreDNS does not look at what stands before the address of a Pod.
  if (kind === "pod") return { kind: "pod", namespace, pod: name };
  const service = { kind: "service", namespace, service: name } as const;
  const [first = "", second] = rest;
  if (second === undefined) return { ...service, endpoint: first, port: "", protocol: "" };
  return { ...service, endpoint: "", port: withoutUnderscore(second), protocol: withoutUnderscore(first) };
}

const withoutUnderscore = (label: string): string => (label.startsWith("_") ? label.slice(1) : label);
