/**
 * Of each mount of a container whether it is read-only, and all the way down.
 * @see https://kep.k8s.io/3857
 */
import type { coreV1 } from "@coxswain/api";
import type { Container } from "../pod/pod.ts";

export function mountStatuses({ volumeMounts }: Container, supportsRecursive: boolean): coreV1.VolumeMountStatus[] | undefined {
  if (volumeMounts === undefined || volumeMounts.length === 0) return undefined;
  return volumeMounts.map(({ name, mountPath, readOnly, recursiveReadOnly }) => {
    if (readOnly !== true) return { name, mountPath };
    const isRecursive = recursiveReadOnly === "Enabled" || (recursiveReadOnly === "IfPossible" && supportsRecursive);
    return { name, mountPath, readOnly: true, recursiveReadOnly: isRecursive ? "Enabled" : "Disabled" };
  });
}
