import { field } from "@coxswain/machinery";
import { ageCell } from "../../../strategy/age.ts";
import { type Cell, defineKind } from "../../../strategy/strategy.ts";
import type { Ingress } from "../../../types/networking-v1.ts";
import { ipWarnings } from "../../../validation/address-warnings.ts";
import { checkLoadBalancerStatus } from "../../../validation/load-balancer-status.ts";
import { checkIngressSpec } from "./validation.ts";

const classAnnotation = "kubernetes.io/ingress.class";

/** @see https://kubernetes.io/docs/concepts/services-networking/ingress/ */
export const ingress = defineKind<Ingress>({
  type: "io.k8s.api.networking.v1.Ingress",
  prepareForCreate(obj) {
    obj.status = { loadBalancer: {} };
  },
  validate: ({ spec = {} }) => checkIngressSpec(spec),
  validateCreate: ({ metadata, spec }) => {
    const old = metadata?.annotations?.[classAnnotation];
    if (old === undefined || spec?.ingressClassName === undefined || old === spec.ingressClassName) return [];
    return [field.invalid(`annotations.${classAnnotation}`, old, "must match `ingressClassName` when both are specified")];
  },
  validateStatusUpdate: ({ status }) => checkLoadBalancerStatus(status?.loadBalancer?.ingress ?? [], { withMode: false }),
  warnings,
  cells,
});

function* warnings({ metadata, spec, status }: Readonly<Ingress>, prev: Readonly<Ingress> | undefined): Generator<string> {
  if (prev === undefined && metadata?.annotations?.[classAnnotation] !== undefined && spec?.ingressClassName === undefined) {
    yield `annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`;
  }
  for (const [i, { ip }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    if (ip) yield* ipWarnings(`status.loadBalancer.ingress[${i}]`, ip);
  }
}

function cells({ metadata, spec = {}, status }: Readonly<Ingress>, now: number): Cell[] {
  const addresses = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "").filter(Boolean);
  return [
    metadata?.name ?? "",
    spec.ingressClassName ?? "<none>",
    hostsCell((spec.rules ?? []).map(({ host = "" }) => host)),
    [...new Set(addresses)].sort().join(","),
    (spec.tls ?? []).length > 0 ? "80, 443" : "80",
    ageCell(metadata?.creationTimestamp, now),
  ];
}

const shownHosts = 3;

/** Three hosts; when rules follow the third, how many rules there are beyond three. */
function hostsCell(hosts: readonly string[]): string {
  const named: string[] = [];
  let more = false;
  for (const host of hosts) {
    if (named.length === shownHosts) more = true;
    else if (host !== "") named.push(host);
  }
  if (named.length === 0) return "*";
  return more ? `${named.join(",")} + ${hosts.length - shownHosts} more...` : named.join(",");
}
