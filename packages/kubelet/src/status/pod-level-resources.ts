/**
 * Requests and limits of the Pod as a whole.
 * @see https://kep.k8s.io/5419
 */
import { aggregateResources, type coreV1, podRequests } from "@coxswain/api";
import type { Quantity } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";

type Amounts = Record<string, string>;

/** What was given to the Pod. While it runs, only what its node enforces is reported. */
export function podLevelResources(pod: Pod): Pick<coreV1.PodStatus, "resources" | "allocatedResources"> {
  const requested = textsOf(podRequests(pod, { actual: false }));
  const isEnforced = (name: string): boolean => pod.status?.phase !== "Running" || name === "cpu" || name === "memory";
  const only = (amounts: Amounts): Amounts => Object.fromEntries(Object.entries(amounts).filter(([name]) => isEnforced(name)));
  const whole = pod.spec?.resources;
  const requests = { ...only(requested), ...whole?.requests };
  const limits = { ...only(limitsOf(pod)), ...whole?.limits };
  return {
    ...(isEmpty(requested) ? {} : { allocatedResources: requested }),
    resources: { ...(isEmpty(requests) ? {} : { requests }), ...(isEmpty(limits) ? {} : { limits }) },
  };
}

function limitsOf({ spec }: Pod): Amounts {
  if (spec === undefined) return {};
  return textsOf(aggregateResources(spec, "limits"));
}

const isEmpty = (amounts: Amounts): boolean => Object.keys(amounts).length === 0;

const textsOf = (amounts: ReadonlyMap<string, Quantity>): Amounts =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
