/** How the objects of a resource count in quotas: Kubernetes' quota evaluators. */
import type { KubeObject } from "@coxswain/machinery";
import type { Container, PersistentVolumeClaim, Pod, ScopedResourceSelectorRequirement, Service } from "@coxswain/types/core-v1";
import type { ResourceClaim } from "@coxswain/types/resource-v1";
import { isPodLevelResource } from "../pod-spec/resource-requests.ts";
import { countableOf, type MeasuredKind } from "./countable.ts";
import { claimMatchesScope, endsByItself, podMatchesScope } from "./scopes.ts";
import { claimUsage, deviceClaimUsage, one, podUsage, serviceUsage, type Usage } from "./usage.ts";

/** A write that a quota may be charged for. */
export interface QuotaChange {
  readonly operation: string;
  readonly subresource: string;
  readonly object: KubeObject;
  readonly previous: Readonly<KubeObject> | undefined;
}

export interface QuotaEvaluator {
  /** Whether it measures what a quota calls by this name. */
  measures(name: string): boolean;
  /** Whether the write may change what the object counts for. */
  handles(change: QuotaChange): boolean;
  matchesScope(object: Readonly<KubeObject>, requirement: ScopedResourceSelectorRequirement): boolean;
  usage(object: Readonly<KubeObject>, nowMs: number): Usage;
  /** What the object must state, and does not, where these names are limited; undefined where it states all. */
  missing(names: readonly string[], object: Readonly<KubeObject>): string | undefined;
}

/** Not stored, or never counted. */
const ignored: ReadonlySet<string> = new Set([
  "bindings.",
  "componentstatuses.",
  "events.",
  "events.events.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  ...["subjectaccessreviews", "selfsubjectaccessreviews", "localsubjectaccessreviews", "selfsubjectrulesreviews"].map(
    (name) => `${name}.authorization.k8s.io`,
  ),
]);

const noScope = (): boolean => false;
const nothingMissing = (): undefined => undefined;
const isWrite = ({ operation, subresource }: QuotaChange): boolean =>
  subresource === "" && (operation === "create" || operation === "update");

const pods: QuotaEvaluator = {
  measures: measuresOf("pods"),
  handles: ({ operation, subresource, object, previous }) => {
    if (subresource === "resize") return operation === "update";
    if (subresource !== "") return false;
    return (
      operation === "create" || (operation === "update" && endsByItself((object as Pod).spec) !== endsByItself((previous as Pod)?.spec))
    );
  },
  matchesScope: (pod, requirement) => podMatchesScope(pod as Pod, requirement),
  usage: (pod, nowMs) => podUsage(pod as Pod, nowMs),
  missing: (names, pod) => missingAmounts(names, pod as Pod),
};

const services: QuotaEvaluator = {
  measures: measuresOf("services"),
  handles: isWrite,
  matchesScope: noScope,
  usage: (service) => serviceUsage(service as Service),
  missing: nothingMissing,
};

const claims: QuotaEvaluator = {
  measures: measuresOf("claims"),
  handles: (change) => isWrite(change) || (change.subresource === "status" && allocatedOf(change.object) !== allocatedOf(change.previous)),
  matchesScope: (claim, requirement) => claimMatchesScope(claim as PersistentVolumeClaim, requirement),
  usage: (claim) => claimUsage(claim as PersistentVolumeClaim),
  missing: nothingMissing,
};

const deviceClaims: QuotaEvaluator = {
  measures: measuresOf("deviceClaims"),
  handles: isWrite,
  matchesScope: noScope,
  usage: (claim) => deviceClaimUsage(claim as ResourceClaim),
  missing: nothingMissing,
};

const evaluators: ReadonlyMap<string, QuotaEvaluator> = new Map([
  ["pods.", pods],
  ["services.", services],
  ["persistentvolumeclaims.", claims],
  ["resourceclaims.resource.k8s.io", deviceClaims],
]);

/** Undefined for what no quota counts. */
export function quotaEvaluator(group: string, resource: string): QuotaEvaluator | undefined {
  const key = `${resource}.${group}`;
  if (ignored.has(key)) return undefined;
  return evaluators.get(key) ?? objectCount(group, resource);
}

function objectCount(group: string, resource: string): QuotaEvaluator {
  const names = [...(countableOf(resource) === undefined || group !== "" ? [] : [resource]), `count/${resource}${group && `.${group}`}`];
  const usage: Usage = new Map(names.map((name) => [name, one]));
  return {
    measures: (name) => usage.has(name),
    handles: ({ operation, subresource }) => operation === "create" && subresource === "",
    matchesScope: noScope,
    usage: () => usage,
    missing: nothingMissing,
  };
}

function measuresOf(kind: MeasuredKind): QuotaEvaluator["measures"] {
  return (name) => countableOf(name)?.kind === kind;
}

const allocatedOf = (claim: Readonly<KubeObject> | undefined): string | undefined =>
  (claim as PersistentVolumeClaim | undefined)?.status?.allocatedResources?.storage;

/** Amounts that each container has to state where a quota limits them; for later ones it was thought better not to ask. */
const stated: ReadonlySet<string> = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);

function missingAmounts(names: readonly string[], { spec }: Pod): string | undefined {
  const ofPod = [...Object.keys(spec?.resources?.requests ?? {}), ...Object.keys(spec?.resources?.limits ?? {})];
  if (ofPod.some(isPodLevelResource)) return undefined;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const problems = names
    .filter((name) => stated.has(name))
    .sort()
    .flatMap((name) => {
      const without = [...new Set(containers.filter((container) => !states(container, name)).map((container) => container.name))].sort();
      return without.length === 0 ? [] : [`${name} for: ${without.join(",")}`];
    });
  return problems.length === 0 ? undefined : `must specify ${problems.join("; ")}`;
}

function states({ resources }: Container, name: string): boolean {
  const [what, amount] = name.startsWith("limits.")
    ? (["limits", name.slice(7)] as const)
    : (["requests", name.replace("requests.", "")] as const);
  return resources?.[what]?.[amount] !== undefined;
}
