/** What containers say at their end may not make a status too large. */
import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";
import { ephemeral, initial, ordinary } from "../pod/pod-state.ts";

type ContainerStatus = coreV1.ContainerStatus;

/** Bytes, for all containers of a Pod together. */
const maxInPod = 12 * 1024;

export function capMessages(pod: Pod, status: coreV1.PodStatus): coreV1.PodStatus {
  const count = ordinary(pod).length + initial(pod).length + ephemeral(pod).length;
  const most = Math.floor(maxInPod / Math.max(count, 1));
  const cap = (statuses: ContainerStatus[] | undefined) => statuses?.map((one) => capOne(one, most));
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = status;
  const capped = {
    containerStatuses: cap(containerStatuses),
    initContainerStatuses: cap(initContainerStatuses),
    ephemeralContainerStatuses: cap(ephemeralContainerStatuses),
  };
  return { ...status, ...Object.fromEntries(Object.entries(capped).filter(([, statuses]) => statuses !== undefined)) };
}

function capOne(status: ContainerStatus, most: number): ContainerStatus {
  const { state, lastState } = status;
  return {
    ...status,
    ...(state === undefined ? {} : { state: capState(state, most) }),
    ...(lastState === undefined ? {} : { lastState: capState(lastState, most) }),
  };
}

/** Text that is all ASCII, as most is, need not be encoded to be counted. */
function capState(state: coreV1.ContainerState, most: number): coreV1.ContainerState {
  const message = state.terminated?.message;
  if (state.terminated === undefined || message === undefined || message.length * 3 <= most) return state;
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= most) return state;
  return {
    ...state,
    terminated: { ...state.terminated, message: new TextDecoder().decode(bytes.subarray(0, most)).replace(/\ufffd$/, "") },
  };
}
