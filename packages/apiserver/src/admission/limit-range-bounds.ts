/** Where an object leaves the bounds of a LimitRange, in Kubernetes' words. */
import { type coreV1, isPodLevelResource, type ResourceAmounts, readAmounts, sumContainers } from "@coxswain/api";
import { type KubeObject, parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";

interface Used {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

/** What is broken, bound by bound. `kind`: `Pod` or `PersistentVolumeClaim`. */
export function brokenBounds(object: Readonly<KubeObject>, kind: string, limits: readonly coreV1.LimitRangeItem[]): string[] {
  return limits.flatMap((limit) => usedOf(object, kind, limit.type).flatMap((used) => broken(limit, used, kind)));
}

/** What counts for a bound of that type, one after another. */
function usedOf(object: Readonly<KubeObject>, kind: string, type: string): Used[] {
  if (kind === "PersistentVolumeClaim") {
    const { spec } = object as coreV1.PersistentVolumeClaim;
    return type === kind ? [{ requests: readAmounts(spec?.resources?.requests), limits: new Map() }] : [];
  }
  const { spec } = object as coreV1.Pod;
  if (type === "Pod" && spec !== undefined) return [{ requests: sumOf(spec, "requests"), limits: sumOf(spec, "limits") }];
  if (type !== "Container") return [];
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => ({
    requests: readAmounts(resources?.requests),
    limits: readAmounts(resources?.limits),
  }));
}

/** Of the containers together, or of the Pod as a whole where it says so. */
function sumOf(spec: coreV1.PodSpec, field: "requests" | "limits"): ResourceAmounts {
  const sum = sumContainers(spec, ({ resources }) => readAmounts(resources?.[field]));
  for (const [name, amount] of readAmounts(spec.resources?.[field])) if (isPodLevelResource(name)) sum.set(name, amount);
  return sum;
}

function broken({ type, min, max, maxLimitRequestRatio }: coreV1.LimitRangeItem, used: Used, kind: string): string[] {
  const check = (bounds: Readonly<Record<string, string>> | undefined, problemOf: (bound: Bound) => string | undefined): string[] =>
    Object.entries(bounds ?? {}).flatMap(([name, text]) => {
      const amount = parseQuantity(text);
      const problem =
        amount === undefined
          ? undefined
          : problemOf({ name, type, amount, request: used.requests.get(name), limit: used.limits.get(name) });
      return problem === undefined ? [] : [problem];
    });
  const maximum = kind === "PersistentVolumeClaim" ? aboveRequest : aboveMaximum;
  return [...check(min, belowMinimum), ...check(max, maximum), ...check(maxLimitRequestRatio, aboveRatio)];
}

interface Bound {
  readonly name: string;
  readonly type: string;
  readonly amount: Quantity;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

function belowMinimum({ name, type, amount, request, limit }: Bound): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${amount}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (request.compare(amount) < 0) return `${rule}, but request is ${request}`;
  return limit !== undefined && limit.compare(amount) < 0 ? `${rule}, but limit is ${limit}` : undefined;
}

function aboveMaximum({ name, type, amount, request, limit }: Bound): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${amount}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (limit.compare(amount) > 0) return `${rule}, but limit is ${limit}`;
  return request !== undefined && request.compare(amount) > 0 ? `${rule}, but request is ${request}` : undefined;
}

/** Claims of volumes have no limits. */
function aboveRequest({ name, type, amount, request }: Bound): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${amount}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return request.compare(amount) > 0 ? `${rule}, but request is ${request}` : undefined;
}

const zero = quantityOf(0);

function aboveRatio({ name, type, amount, request = zero, limit = zero }: Bound): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${amount}`;
  if (request.sign() === 0) return `${rule}, but no request is specified or request is 0`;
  if (limit.sign() === 0) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = limit.toNumber() / request.toNumber();
  return ratio > amount.toNumber() ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
