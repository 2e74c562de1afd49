import { type KubeObject, type ResourceClient, withFinalizer, withoutFinalizer } from "@coxswain/client";
import type { FinalizerPlan } from "./plan-finalizer.ts";

export interface FinalizerWrite {
  readonly finalizer: string;
  readonly planned: FinalizerPlan;
  readonly signal: AbortSignal;
}

/** By an update, for the roles of the controllers of volumes allow no patch. @throws StatusError a conflict when the object is not the newest */
export async function writeFinalizer<T extends KubeObject>(
  resource: ResourceClient<T>,
  object: T,
  { finalizer, planned, signal }: FinalizerWrite,
): Promise<void> {
  if (planned === "keep") return;
  const next = planned === "add" ? withFinalizer(object, finalizer) : withoutFinalizer(object, finalizer);
  if (next !== object) await resource.update(next, { signal });
}
