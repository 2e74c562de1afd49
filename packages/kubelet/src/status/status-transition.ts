/** What must never be reported of a container: that it runs again after it has ended for good. */
import type { coreV1 } from "@coxswain/api";
import type { Container, Pod } from "../pod/pod.ts";
import { initial, isSidecar, ordinary } from "../pod/pod-state.ts";
import { canRestartWhole, restartsAfter } from "../pod/restart-policy.ts";

type PodStatus = coreV1.PodStatus;
type ContainerStatus = coreV1.ContainerStatus;

/** The name of a container that would come back from its end; undefined when all is well. */
export function illegalReturn(pod: Pod, before: PodStatus, after: PodStatus): string | undefined {
  if (pod.spec?.restartPolicy === "Always" || canRestartWhole(pod)) return undefined;
  return (
    returned(pod, ordinary(pod), before.containerStatuses, after.containerStatuses) ??
    returned(
      pod,
      initial(pod).filter((container) => !isSidecar(container)),
      before.initContainerStatuses,
      after.initContainerStatuses,
    )
  );
}

function returned(
  pod: Pod,
  containers: readonly Container[],
  before: readonly ContainerStatus[] | undefined,
  after: readonly ContainerStatus[] | undefined,
): string | undefined {
  return containers.find((container) => {
    const ended = find(before, container)?.state?.terminated;
    if (ended === undefined || restartsAfter(container, pod, ended.exitCode)) return false;
    const now = find(after, container);
    return now !== undefined && now.state?.terminated === undefined;
  })?.name;
}

const find = (statuses: readonly ContainerStatus[] | undefined, { name }: Container) => statuses?.find((one) => one.name === name);
