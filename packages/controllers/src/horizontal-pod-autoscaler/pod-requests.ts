import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../shared/pods/pod-state.ts";
import { milliOf } from "./hpa-types.ts";

/** What each requests of a resource, in thousandths, by name. `container`: of that one alone. @throws Error when one does not say */
export const requestsOf = (pods: readonly Pod[], resource: string, container: string | undefined): ReadonlyMap<string, number> =>
  new Map(pods.map((pod) => [pod.metadata?.name ?? "", requestOf(pod, resource, container)]));

function requestOf(pod: Pod, resource: string, container: string | undefined): number {
  const { name } = pod.metadata ?? {};
  const ofPod = pod.spec?.resources?.requests;
  if (container === undefined && hasPodRequests(ofPod)) {
    // A resource of which the Pod itself says nothing is what its containers say.
    const request = ofPod?.[resource];
    if (request !== undefined) return milliOf(request);
    if (!containersOf(pod).some((one) => one.resources?.requests?.[resource] !== undefined))
      throw new Error(`missing pod-level request for ${resource} in Pod ${name}`);
    return containersOf(pod).reduce((total, one) => total + milliOf(one.resources?.requests?.[resource] ?? 0), 0);
  }
  const containers = containersOf(pod).filter((one) => container === undefined || one.name === container);
  if (container !== undefined && containers.length === 0) throw new Error(`container ${container} not found in Pod ${name}`);
  return containers.reduce((total, one) => {
    const request = one.resources?.requests?.[resource];
    if (request === undefined) throw new Error(`missing request for ${resource} in container ${one.name} of Pod ${name}`);
    return total + milliOf(request);
  }, 0);
}

const hasPodRequests = (requests: Readonly<Record<string, unknown>> | undefined): boolean =>
  Object.keys(requests ?? {}).some((name) => name === "cpu" || name === "memory" || name.startsWith("hugepages-"));

/** With the sidecars. */
const containersOf = ({ spec }: Pod): readonly coreV1.Container[] => [
  ...(spec?.containers ?? []),
  ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always"),
];
