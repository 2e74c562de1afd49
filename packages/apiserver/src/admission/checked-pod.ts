/** The Pod in an object: itself, or the template that Pods are made by. */
import type { batchV1, coreV1, podSecurity, ResourceDefinition } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";

const templated: ReadonlySet<string> = new Set([
  "/PodTemplate",
  "/ReplicationController",
  "apps/ReplicaSet",
  "apps/Deployment",
  "apps/StatefulSet",
  "apps/DaemonSet",
  "batch/Job",
  "batch/CronJob",
]);

/** Whether objects of the kind hold a template of Pods. */
export const hasPodSpec = ({ group, kind }: ResourceDefinition): boolean => templated.has(`${group}/${kind}`);

/** Undefined where there is none. */
export function checkedPodOf(object: Readonly<KubeObject>, kind: string): podSecurity.CheckedPod | undefined {
  const { metadata, spec } = (kind === "Pod" ? object : templateOf(object, kind)) ?? {};
  return spec === undefined ? undefined : { annotations: metadata?.annotations ?? {}, spec: spec as coreV1.PodSpec };
}

type Template = coreV1.PodTemplateSpec | coreV1.Pod;

function templateOf(object: Readonly<KubeObject>, kind: string): Template | undefined {
  if (kind === "PodTemplate") return (object as coreV1.PodTemplate).template;
  if (kind === "CronJob") return (object as batchV1.CronJob).spec?.jobTemplate.spec?.template;
  return (object as batchV1.Job).spec?.template;
}

/** Whether an update changes what is checked: images, or which containers there are. */
export function isSignificantUpdate({ spec: next }: coreV1.Pod, { spec: previous }: coreV1.Pod): boolean {
  const images = (spec: coreV1.PodSpec | undefined, field: "containers" | "initContainers"): string =>
    JSON.stringify((spec?.[field] ?? []).map(({ image }) => image));
  if (images(next, "containers") !== images(previous, "containers")) return true;
  if (images(next, "initContainers") !== images(previous, "initContainers")) return true;
  return (next?.ephemeralContainers ?? []).some(({ name, image }) => {
    const before = previous?.ephemeralContainers?.find((one) => one.name === name);
    return before?.image !== image;
  });
}
