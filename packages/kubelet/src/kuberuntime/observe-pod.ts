/** Looks at what the runtime has of one Pod, with what its containers said at their end. */

import { type PodState, podState } from "../pod/pod-state.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { terminationMessage } from "./termination-message.ts";

/** Messages of containers that have ended, by id: they never change. */
export type EndMessages = Map<string, string>;

export async function observePod(runtime: PodRuntime, uid: string, messages: EndMessages, signal: AbortSignal): Promise<PodState> {
  const [sandboxes, containers] = await Promise.all([runtime.listPodSandboxes(signal, uid), runtime.listContainers(signal, uid)]);
  for (const id of messages.keys()) if (!containers.some((one) => one.id === id)) messages.delete(id);
  const complete = await Promise.all(containers.map((container) => withMessage(runtime, container, messages, signal)));
  return podState(sandboxes, complete);
}

async function withMessage(
  runtime: PodRuntime,
  container: ContainerStatus,
  messages: EndMessages,
  signal: AbortSignal,
): Promise<ContainerStatus> {
  if (container.state !== "exited") return container;
  const known = messages.get(container.id);
  const message = known ?? (await terminationMessage(runtime, container, signal));
  if (known === undefined) messages.set(container.id, message);
  if (message === "") return container;
  return { ...container, message: container.message === "" ? message : `${container.message}: ${message}` };
}
