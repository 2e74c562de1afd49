/** Which changes of a Pod in the API its kubelet has to act on. */
import { deepEqual } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";

/** What was written to its status is most often what this kubelet itself wrote. */
export function concernsKubelet(before: Pod, { metadata, spec, status }: Pod): boolean {
  const was = before.metadata;
  return (
    was?.generation !== metadata?.generation ||
    was?.deletionTimestamp !== metadata?.deletionTimestamp ||
    was?.deletionGracePeriodSeconds !== metadata?.deletionGracePeriodSeconds ||
    before.status?.phase !== status?.phase ||
    (spec?.readinessGates?.length ?? 0) > 0 ||
    !deepEqual(was?.labels, metadata?.labels) ||
    !deepEqual(was?.annotations, metadata?.annotations)
  );
}
