/** What is noted at a container for who finds it again without its Pod. */

import { recordOf } from "../../pod/container-record.ts";
import type { Container, Pod } from "../../pod/pod.ts";

export function containerAnnotations(pod: Pod, container: Container, attempt: number): Record<string, string> {
  const { deletionGracePeriodSeconds } = pod.metadata ?? {};
  const { lifecycle, ports = [] } = container;
  return {
    ...recordOf(pod, container, attempt),
    ...(deletionGracePeriodSeconds === undefined ? {} : { "io.kubernetes.pod.deletionGracePeriod": String(deletionGracePeriodSeconds) }),
    ...(lifecycle?.preStop === undefined ? {} : { "io.kubernetes.container.preStopHandler": JSON.stringify(lifecycle.preStop) }),
    ...(ports.length === 0 ? {} : { "io.kubernetes.container.ports": JSON.stringify(ports) }),
  };
}
