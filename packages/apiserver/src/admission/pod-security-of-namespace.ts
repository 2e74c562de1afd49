/** What the Pods of a namespace would do that its new level forbids, as warnings. */
import { type coreV1, podSecurity } from "@coxswain/api";
import { deepEqual, type KubeObject } from "@coxswain/machinery";

type Pod = Readonly<coreV1.Pod & KubeObject>;

/** So many Pods are looked at: one of each controller first. */
const maxPods = 3_000;

export function violationsIn(namespace: string, level: podSecurity.LevelVersion, pods: readonly Pod[]): string[] {
  const found = new Map<string, string[]>();
  for (const { metadata, spec } of oneOfEachControllerFirst(pods).slice(0, maxPods)) {
    if (spec === undefined) continue;
    const reasons = podSecurity.reasonsOf(podSecurity.violations(level, { annotations: metadata?.annotations ?? {}, spec }));
    if (reasons !== "") found.set(reasons, [...(found.get(reasons) ?? []), metadata?.name ?? ""]);
  }
  const lines = [...found].map(([reasons, names]) => `${shown(names)}: ${reasons}`).sort();
  return [
    ...(pods.length > maxPods
      ? [`new PodSecurity enforce level only checked against the first ${maxPods} of ${pods.length} existing pods`]
      : []),
    ...(lines.length > 0
      ? [
          `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(podSecurity.showLevel(level))}`,
        ]
      : []),
    ...lines,
  ];
}

/** The first by name, and how many others. */
function shown(names: readonly string[]): string {
  const [first = ""] = names.toSorted();
  if (names.length === 1) return first;
  return names.length === 2 ? `${first} (and 1 other pod)` : `${first} (and ${names.length - 1} other pods)`;
}

function oneOfEachControllerFirst(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const [first, others]: [Pod[], Pod[]] = [[], []];
  for (const pod of pods) {
    const controller = pod.metadata?.ownerReferences?.find((owner) => owner.controller === true)?.uid;
    (controller !== undefined && seen.has(controller) ? others : first).push(pod);
    if (controller !== undefined) seen.add(controller);
  }
  return [...first, ...others];
}

interface Ignored {
  readonly policy: podSecurity.PodSecurityPolicy;
  readonly defaults: podSecurity.PodSecurityPolicy;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** Of an exempt namespace: what its labels ask for in vain. */
export function ignoredPolicy(namespace: string, { policy, defaults, labels = {} }: Ignored): readonly string[] {
  if (podSecurity.isFullyPrivileged(policy) || deepEqual(policy, defaults)) return [];
  const shown = (["enforce", "audit", "warn"] as const)
    .filter((mode) => policy[mode].level !== "privileged" && labelsOf(mode).some((label) => labels[label] !== undefined))
    .map((mode) => `${mode}=${podSecurity.showLevel(policy[mode])}`);
  return [`namespace ${JSON.stringify(namespace)} is exempt from Pod Security, and the policy (${shown.join(", ")}) will be ignored`];
}

const labelsOf = (mode: podSecurity.Mode): readonly string[] => [
  `pod-security.kubernetes.io/${mode}`,
  `pod-security.kubernetes.io/${mode}-version`,
];
