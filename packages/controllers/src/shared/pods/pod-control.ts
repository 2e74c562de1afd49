/** Creates and deletes Pods for a controller, and says so in Events about the object that wants it. */
import {
  type Client,
  type EventRecorder,
  isConflict,
  isNamespaceTerminating,
  isObjectNotFound,
  pods,
  type ResourceRef,
} from "@coxswain/client";
import { type KubeObject, messageOf } from "@coxswain/machinery";
import type { Pod } from "./pod-state.ts";

export interface PodControl {
  /** @throws StatusError as the server refused it; there is an Event about it unless the namespace is on the way out */
  create(pod: Pod): Promise<Pod>;
  /** Deletes this very Pod; resolves when it is gone already. @throws PodDeletionError */
  delete(pod: Pod): Promise<void>;
}

export interface PodControlOptions {
  readonly client: Client;
  readonly events: EventRecorder;
  /** In whose name: the Events are about it, and the Pods are in its namespace. */
  readonly owner: KubeObject;
  readonly ownerRef: ResourceRef;
  readonly signal?: AbortSignal;
}

export class PodDeletionError extends Error {
  constructor(cause: unknown) {
    super(`unable to delete pods: ${messageOf(cause)}`, { cause });
    this.name = "PodDeletionError";
  }
}

export function podControl({ client, events, owner, ownerRef, signal }: PodControlOptions): PodControl {
  const resource = client.resource(pods, owner.metadata?.namespace);
  const record = (type: "Normal" | "Warning", reason: string, message: string): void =>
    events.record(owner, { type, reason, message }, ownerRef);
  return {
    create: async (pod) => {
      try {
        const created = await resource.create(pod, { signal });
        record("Normal", "SuccessfulCreate", `Created pod: ${created.metadata?.name}`);
        return created;
      } catch (error) {
        if (!isNamespaceTerminating(error)) record("Warning", "FailedCreate", `Error creating: ${messageOf(error)}`);
        throw error;
      }
    },
    delete: async ({ metadata: { name = "", uid } = {} }) => {
      try {
        await resource.delete(name, { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) });
        record("Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
      } catch (error) {
        // A conflict means that another Pod has the name: this one is gone.
        if (isObjectNotFound(error, pods, name) || isConflict(error)) return;
        record("Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
        throw new PodDeletionError(error);
      }
    },
  };
}
