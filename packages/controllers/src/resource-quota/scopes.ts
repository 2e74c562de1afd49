/** Which objects a quota with scopes is about. @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-scopes */
import { type coreV1, qosClass } from "@coxswain/api";

type Requirement = coreV1.ScopedResourceSelectorRequirement;

export const requirementsOf = ({ scopes = [], scopeSelector }: coreV1.ResourceQuotaSpec): readonly Requirement[] => [
  ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" })),
  ...(scopeSelector?.matchExpressions ?? []),
];

export const podIsIn = (pod: coreV1.Pod, requirements: readonly Requirement[]): boolean =>
  requirements.every((requirement) => podMatches(pod, requirement));

function podMatches({ spec, status }: coreV1.Pod, requirement: Requirement): boolean {
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

export const claimIsIn = ({ spec }: coreV1.PersistentVolumeClaim, requirements: readonly Requirement[]): boolean =>
  requirements.every((one) => one.scopeName === "VolumeAttributesClass" && selects(one, spec?.volumeAttributesClassName));

const endsByItself = (spec: coreV1.PodSpec | undefined): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

const qosOf = (spec: coreV1.PodSpec | undefined, status: coreV1.PodStatus | undefined): string =>
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

function hasFarAffinity(spec: coreV1.PodSpec | undefined): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) => {
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution?.map(({ podAffinityTerm }) => podAffinityTerm) ?? [];
    const terms = [...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []), ...preferred];
    return terms.some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || (namespaceSelector ?? null) !== null);
  });
}
