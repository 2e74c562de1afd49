/** Events about Pods and their containers. */
import { type EventRecorder, pods, type RecordedEvent } from "@coxswain/client";
import type { Container, Pod } from "../pod/pod.ts";
import { fieldPathOf } from "../pod/pod-state.ts";

type EventType = RecordedEvent["type"];

interface Recording {
  readonly events: Pick<EventRecorder, "record">;
}

/** Records an event about a whole Pod. */
export function recordPodEvent({ events }: Recording, pod: Pod, { type, reason, message }: PodEvent): void {
  events.record(pod, { type, reason, message }, pods);
}

export interface PodEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

export interface ContainerEvent extends PodEvent {
  readonly id?: string;
}

/** Records an event about one container. `id` is replaced by the container's name: a text that is different each time would not be counted as one event. */
export function recordContainerEvent({ events }: Recording, pod: Pod, container: Pick<Container, "name">, event: ContainerEvent): void {
  const { type, reason, message, id = "" } = event;
  const text = id === "" ? message : message.replaceAll(id, container.name);
  events.record(pod, { type, reason, message: text, fieldPath: fieldPathOf(pod, container) }, pods);
}
