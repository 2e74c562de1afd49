/** Writes to a Pod's status why it has no node, and the node that is nominated. */
import type { coreV1 } from "@coxswain/api";
import { type Client, isConflict, pods, retryOnConflict } from "@coxswain/client";
import { deepEqual, wireTime } from "@coxswain/machinery";
import type { Pod } from "../framework/pod-info.ts";

export interface UnscheduledReason {
  readonly reason: "Unschedulable" | "SchedulerError";
  readonly message: string;
}

export interface StatusChange {
  readonly unscheduled?: UnscheduledReason;
  /** Empty takes a nomination back; undefined leaves it as it is. */
  readonly nominatedNode?: string | undefined;
}

type Condition = coreV1.PodCondition;

/**
 * Undefined when nothing changes by it, or when the Pod was bound meanwhile. With the version that was read: what
 * is said of a Pod without a node must not reach one that has got one.
 */
export function statusPatch(pod: Pod, { unscheduled: unplaced, nominatedNode }: StatusChange, now: number): object | undefined {
  if ((pod.spec?.nodeName ?? "") !== "") return undefined;
  const condition = unplaced === undefined ? undefined : conditionOf(pod, unplaced, now);
  const nominates = nominatedNode !== undefined && nominatedNode !== (pod.status?.nominatedNodeName ?? "");
  if (condition === undefined && !nominates) return undefined;
  return {
    metadata: { uid: pod.metadata?.uid, resourceVersion: pod.metadata?.resourceVersion },
    status: {
      ...(condition === undefined ? {} : { conditions: [condition] }),
      ...(nominates ? { nominatedNodeName: nominatedNode === "" ? null : nominatedNode } : {}),
    },
  };
}

/** Undefined when it stands there already. */
function conditionOf({ metadata, status }: Pod, { reason, message }: UnscheduledReason, now: number): Condition | undefined {
  const type = "PodScheduled";
  const known = status?.conditions?.find((one) => one.type === type);
  const wanted: Condition = {
    type,
    status: "False",
    reason,
    message,
    ...(metadata?.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
  const { lastProbeTime: _, lastTransitionTime, ...current } = known ?? { ...wanted, status: "" };
  if (deepEqual(current, wanted)) return undefined;
  const since = current.status === "False" ? lastTransitionTime : wireTime(now);
  return { ...wanted, ...(since === undefined ? {} : { lastTransitionTime: since }) };
}

/** One Pod's writes, one after another: what was decided last is what stands. */
export class PodStatusWriter {
  readonly #client: Client;
  readonly #writing = new Map<string, Promise<Pod | undefined>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** The Pod as it is then; undefined when nothing was to be written. @throws StatusError */
  write(pod: Pod, change: StatusChange, signal: AbortSignal): Promise<Pod | undefined> {
    const { uid = "", namespace, name = "" } = pod.metadata ?? {};
    const before = this.#writing.get(uid);
    const resource = this.#client.resource(pods, namespace);
    const write = async (): Promise<Pod | undefined> => {
      let latest = (await before?.catch(() => undefined)) ?? pod;
      const { clock, random } = this.#client;
      const attempt = async (): Promise<Pod | undefined> => {
        const patch = statusPatch(latest, change, clock.now());
        if (patch === undefined) return latest === pod ? undefined : latest;
        try {
          return await resource.patch(name, { type: "strategic", patch }, { subresource: "status", signal });
        } catch (error) {
          if (isConflict(error)) latest = await resource.get(name, { signal });
          if (latest.metadata?.uid !== uid) return undefined;
          throw error;
        }
      };
      return await retryOnConflict(attempt, { clock, random, signal });
    };
    const writing = write().finally(() => {
      if (this.#writing.get(uid) === writing) this.#writing.delete(uid);
    });
    this.#writing.set(uid, writing);
    return writing;
  }
}
