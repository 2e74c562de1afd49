/** Which objects a quota with scopes is about. @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-scopes */
import type {
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  PodStatus,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "@coxswain/types/core-v1";
import { qosClass } from "../pod-spec/qos.ts";

type Requirement = ScopedResourceSelectorRequirement;

export const requirementsOf = ({ scopes = [], scopeSelector }: ResourceQuotaSpec): readonly Requirement[] => [
  ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" })),
  ...(scopeSelector?.matchExpressions ?? []),
];

export const podIsIn = (pod: Pod, requirements: readonly Requirement[]): boolean =>
  requirements.every((requirement) => podMatchesScope(pod, requirement));

export function podMatchesScope({ spec, status }: Pod, requirement: Requirement): boolean {
  switch (requirement.scopeName) {
    case "Terminating":
      return endsByItself(spec);
    case "NotTerminating":
      return !endsByItself(spec);
    case "BestEffort":
      return qosOf(spec, status) === "BestEffort";
    case "NotBestEffort":
      return qosOf(spec, status) !== "BestEffort";
    case "PriorityClass":
      return selects(requirement, spec?.priorityClassName);
    case "CrossNamespacePodAffinity":
      return hasFarAffinity(spec);
    default:
      return false;
  }
}

export const claimIsIn = (claim: PersistentVolumeClaim, requirements: readonly Requirement[]): boolean =>
  requirements.every((requirement) => claimMatchesScope(claim, requirement));

export const claimMatchesScope = ({ spec }: PersistentVolumeClaim, requirement: Requirement): boolean =>
  requirement.scopeName === "VolumeAttributesClass" && selects(requirement, spec?.volumeAttributesClassName);

export const endsByItself = (spec: PodSpec | undefined): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

const qosOf = (spec: PodSpec | undefined, status: PodStatus | undefined): string =>
  status?.qosClass ?? (spec === undefined ? "BestEffort" : qosClass(spec));

function selects({ operator, values = [] }: Requirement, name = ""): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    default:
      return name === "" || !values.includes(name);
  }
}

function hasFarAffinity(spec: PodSpec | undefined): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) => {
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution?.map(({ podAffinityTerm }) => podAffinityTerm) ?? [];
    const terms = [...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []), ...preferred];
    return terms.some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || (namespaceSelector ?? null) !== null);
  });
}
