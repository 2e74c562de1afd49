/** One container of the runtime, as the API has it. */
import type { coreV1 } from "@coxswain/api";
import { wireTime } from "@coxswain/machinery";
import { resourcesOf } from "../pod/container-resources.ts";
import type { Container } from "../pod/pod.ts";
import type { ContainerStatus as Runs } from "../runtime/runtime-status.ts";
import { mountStatuses } from "./mount-statuses.ts";
import { restartingAll } from "./pod-phase.ts";
import type { ContainerStatus, StatusInput } from "./status-input.ts";

export function toContainerStatus(
  input: StatusInput,
  container: Container,
  runs: Runs,
  before: ContainerStatus | undefined,
): ContainerStatus {
  const containerID = `${input.runtimeName}://${runs.id}`;
  const state = stateOf(input, runs, containerID, before);
  const volumeMounts = before?.volumeMounts ?? mountStatuses(container, input.supportsRecursiveReadOnly);
  const resources = resourcesOf(container, runs, before?.containerID === containerID ? before.resources : undefined);
  const requests = container.resources?.requests;
  // What runs since before the kubelet began has started, though its probes have no result yet.
  const wasStarted = runs.state === "running" && before?.started === true && before.containerID === containerID;
  return {
    name: runs.name,
    image: runs.image,
    imageID: runs.imageRef,
    containerID,
    ready: false,
    restartCount: restartCount(runs, before),
    state,
    lastState: lastStateOf(containerID, before),
    ...(wasStarted ? { started: true } : {}),
    ...(volumeMounts === undefined ? {} : { volumeMounts }),
    ...(requests === undefined ? {} : { allocatedResources: requests }),
    ...(resources === undefined ? {} : { resources }),
  };
}

/** Attempts are counted by what the runtime keeps, which may be less than what there was. */
function restartCount({ attempt, state }: Runs, before: ContainerStatus | undefined): number {
  const known = before?.restartCount ?? 0;
  if (state === "unknown" && before?.state?.running !== undefined) return known + 1;
  if (state === "running" && before?.state?.terminated !== undefined && known >= attempt) return known + 1;
  return Math.max(attempt, known);
}

/** Where the one before is no longer there, its end is only known from what was said. */
function lastStateOf(containerID: string, before: ContainerStatus | undefined): coreV1.ContainerState {
  const ended =
    before?.containerID !== containerID ? (before?.state?.terminated ?? before?.lastState?.terminated) : before.lastState?.terminated;
  return ended === undefined ? {} : { terminated: ended };
}

function stateOf(
  { isWholeRestarting }: StatusInput,
  { state, startedAt, finishedAt, exitCode, reason, message }: Runs,
  containerID: string,
  before: ContainerStatus | undefined,
): coreV1.ContainerState {
  switch (state) {
    case "running":
      return { running: { startedAt: wireTime(startedAt) } };
    case "exited":
      return {
        terminated: {
          exitCode,
          ...(reason === "" ? {} : { reason }),
          ...(message === "" ? {} : { message }),
          // Never started is written as the zero time, as by others.
          startedAt: wireTime(startedAt),
          finishedAt: wireTime(finishedAt),
          containerID,
        },
      };
    case "created":
      return { waiting: {} };
    case "unknown": {
      if (before?.state?.running === undefined) return { waiting: {} };
      const why = isWholeRestarting ? restartingAll : "ContainerStatusUnknown";
      return { terminated: { exitCode: 137, reason: why, message: "The container could not be located when the pod was terminated" } };
    }
  }
}
