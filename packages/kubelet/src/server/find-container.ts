/** Which container a request means. */
import type { coreV1 } from "@coxswain/api";
import type { LocalPod } from "../pod/local-pods.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { ServerError } from "./answer.ts";

/** For exec and attach: the one that runs, or else the newest. @throws ServerError */
export function runningContainer({ containers }: LocalPod, name: string): ContainerStatus {
  const named = containers.filter((container) => container.name === name);
  const found = named.find(({ state }) => state === "running") ?? named[0];
  if (found === undefined) throw new ServerError(500, `container not found (${JSON.stringify(name)})`);
  return found;
}

/** For logs: as the Pod's status has it. @throws ServerError with what `kubectl logs` shows */
export function loggedContainer(local: LocalPod, name: string, previous: boolean): ContainerStatus {
  const { pod, containers } = local;
  const podName = pod.metadata?.name ?? "";
  const isKnown = [pod.spec?.containers, pod.spec?.initContainers, pod.spec?.ephemeralContainers].some((all) =>
    all?.some((one) => one.name === name),
  );
  if (!isKnown) throw new ServerError(404, `container ${JSON.stringify(name)} not found in pod ${JSON.stringify(podName)}`);
  const id = loggedId(local, name, previous);
  if (typeof id === "string") {
    const found = containers.find((one) => one.id === id.slice(id.indexOf("://") + 3));
    if (found !== undefined) return found;
    throw new ServerError(400, `unable to retrieve container logs for ${id}`);
  }
  // The status is written a moment after the change.
  const fresh = previous ? undefined : containers.find((one) => one.name === name && (one.state === "running" || one.state === "exited"));
  if (fresh !== undefined) return fresh;
  const prefix = previous ? "previous terminated " : "";
  throw new ServerError(400, `${prefix}container ${JSON.stringify(name)} in pod ${JSON.stringify(podName)} ${id.problem}`);
}

type Logged = string | { readonly problem: string };

function loggedId({ pod: { status } }: LocalPod, name: string, previous: boolean): Logged {
  const all = [status?.containerStatuses, status?.initContainerStatuses, status?.ephemeralContainerStatuses];
  const found = all.flatMap((some) => some ?? []).find((one) => one.name === name);
  if (found === undefined) return { problem: previous ? "not found" : "is not available" };
  const { state = {}, lastState = {}, containerID = "" } = found;
  const before = lastState.terminated?.containerID ?? "";
  if (previous) return before === "" ? { problem: "not found" } : before;
  if (state.running != null) return containerID;
  if (state.terminated != null || lastState.terminated != null) {
    const own = state.terminated?.containerID ?? "";
    const id = own === "" ? before : own;
    return id === "" ? { problem: "is terminated" } : id;
  }
  return { problem: `is waiting to start${waitingText(state.waiting)}` };
}

function waitingText(waiting: coreV1.ContainerStateWaiting | undefined | null): string {
  switch (waiting?.reason) {
    case undefined:
      return " - no logs yet";
    case "ErrImagePull":
      return ": image can't be pulled";
    case "ImagePullBackOff":
      return ": trying and failing to pull image";
    default:
      return `: ${waiting?.reason}`;
  }
}
