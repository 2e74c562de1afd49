/**
 * A Pod as a DaemonSet makes it for a Node: whoever schedules finds that it fits on that one only.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled
 */
import type { appsV1, coreV1 } from "@coxswain/api";
import { daemonSets } from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import { controllerReference } from "../shared/pods/claim.ts";
import { podFromTemplate } from "../shared/pods/pod-from-template.ts";
import type { Pod } from "../shared/pods/pod-state.ts";

export type DaemonSet = appsV1.DaemonSet;
type Toleration = coreV1.Toleration;

export const hashLabel = "controller-revision-hash";
const generationLabel = "pod-template-generation";

/** `hash` names the revision of the template. */
export function daemonPod(daemonSet: DaemonSet, hash: string, nodeName: string): Pod {
  const pod = podFromTemplate(daemonSet.spec?.template, daemonSet.metadata?.name ?? "", controllerReference(daemonSet, daemonSets));
  const generation = templateGenerationOf(daemonSet);
  const own = { ...(generation === undefined ? {} : { [generationLabel]: generation }), [hashLabel]: hash };
  const spec = pod.spec ?? { containers: [] };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata?.labels, ...own } },
    spec: { ...spec, affinity: onNode(spec.affinity, nodeName), tolerations: daemonTolerations(spec) },
  };
}

/** By the hash of its revision, or as very old Pods by a number. */
export function isUpdated({ metadata }: Pod, hash: string, daemonSet: DaemonSet): boolean {
  const { [hashLabel]: revision, [generationLabel]: generation } = metadata?.labels ?? {};
  return revision === hash || (generation !== undefined && generation === templateGenerationOf(daemonSet));
}

function templateGenerationOf({ metadata }: DaemonSet): string | undefined {
  const written = metadata?.annotations?.["deprecated.daemonset.template.generation"];
  return written !== undefined && /^[+-]?[0-9]+$/.test(written) ? String(BigInt(written.replace(/^\+/, ""))) : undefined;
}

/** Where it runs or is to run; undefined when it does not say. */
export function targetNodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === "metadata.name" && operator === "In");
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/** Problems of a Node are no reason to leave it, nor is that it is unschedulable. */
export function daemonTolerations({ tolerations = [], hostNetwork }: coreV1.PodSpec): Toleration[] {
  const all = hostNetwork === true ? [...defaults, onOutOfNetwork] : defaults;
  return all.reduce(withToleration, [...tolerations]);
}

const always = (name: string, effect: string): Toleration => ({ key: `node.kubernetes.io/${name}`, operator: "Exists", effect });

const defaults: readonly Toleration[] = [
  always("not-ready", "NoExecute"),
  always("unreachable", "NoExecute"),
  always("disk-pressure", "NoSchedule"),
  always("memory-pressure", "NoSchedule"),
  always("pid-pressure", "NoSchedule"),
  always("unschedulable", "NoSchedule"),
];

const onOutOfNetwork = always("network-unavailable", "NoSchedule");

/** One for the same taints, such as for a limited time, makes room. */
function withToleration(tolerations: readonly Toleration[], added: Toleration): Toleration[] {
  const isSame = ({ key, operator, value = "", effect }: Toleration): boolean =>
    key === added.key && operator === added.operator && value === "" && effect === added.effect;
  if (!tolerations.some(isSame)) return [...tolerations, added];
  return tolerations.map((one) => (isSame(one) && !deepEqual(one, added) ? added : one));
}

function onNode(affinity: coreV1.Affinity | undefined, nodeName: string): coreV1.Affinity {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [nodeName] }];
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms: [{ matchFields }] };
  return { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution } };
}
