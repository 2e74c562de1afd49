/** What becomes of a ServiceCIDR: it is ready, or goes once no address depends on it. */
import type { metaV1, networkingV1 } from "@coxswain/api";
import { type Cidr, cidrContains, isHostIn, millisOf, parseCidr, parseIp, wireTime } from "@coxswain/machinery";

export type ServiceCIDR = networkingV1.ServiceCIDR;
type Condition = metaV1.Condition;

export const finalizer = "networking.k8s.io/service-cidr-finalizer";

/** So long servers may still give addresses of it: they learn a moment later that it goes. */
const deletionGraceMs = 10_000;

export interface ObservedServiceCidr {
  readonly object: ServiceCIDR;
  /** With the object itself. */
  readonly all: readonly ServiceCIDR[];
  /** The addresses of Services. */
  readonly addresses: readonly string[];
  readonly nowMs: number;
}

export type ServiceCidrPlan =
  | { readonly do: "nothing" }
  /** Undefined: the condition is there already. */
  | { readonly do: "keep"; readonly addsFinalizer: boolean; readonly condition: Condition | undefined }
  | { readonly do: "wait"; readonly afterMs: number }
  | { readonly do: "release" };

export function plan({ object, all, addresses, nowMs }: ObservedServiceCidr): ServiceCidrPlan {
  const { metadata, status } = object;
  const hasFinalizer = metadata?.finalizers?.includes(finalizer) === true;
  const deletedAt = millisOf(metadata?.deletionTimestamp);
  const missing = (wanted: Omit<Condition, "lastTransitionTime">): Condition | undefined => {
    const found = status?.conditions?.find(({ type }) => type === wanted.type);
    const isThere = found?.status === wanted.status && (found.reason ?? "") === wanted.reason && found.message === wanted.message;
    return isThere ? undefined : { ...wanted, lastTransitionTime: wireTime(nowMs) };
  };
  if (deletedAt === undefined) return { do: "keep", addsFinalizer: !hasFinalizer, condition: missing(ready) };
  if (!isFree(object, all, addresses)) return { do: "keep", addsFinalizer: false, condition: missing(terminating) };
  const afterMs = deletedAt + deletionGraceMs - nowMs;
  if (afterMs > 0) return { do: "wait", afterMs };
  return hasFinalizer ? { do: "release" } : { do: "nothing" };
}

const ready = { type: "Ready", status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const;

const terminating = {
  type: "Ready",
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
} as const;

/** Whether others have all of its ranges, or at least all addresses of Services. */
function isFree(object: ServiceCIDR, all: readonly ServiceCIDR[], addresses: readonly string[]): boolean {
  const others = all.filter(({ metadata }) => metadata?.name !== object.metadata?.name).flatMap(rangesOf);
  const own = rangesOf(object);
  if (own.every((range) => others.some((other) => includes(other, range)))) return true;
  return addresses.every((text) => {
    const address = parseIp(text);
    if (address === undefined) return true;
    const isIn = (range: Cidr): boolean => isHostIn(range, address);
    return !own.some(isIn) || others.some(isIn);
  });
}

export const rangesOf = ({ spec }: ServiceCIDR): readonly Cidr[] => (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);

/** Whether all of one range is in another. */
const includes = (outer: Cidr, inner: Cidr): boolean => outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.address);

/** Whether one includes the other. */
export const overlap = (one: Cidr, other: Cidr): boolean => includes(one, other) || includes(other, one);
