/** Deletes an object that has lost its owners, or removes the references to those that are gone. */
import { isConflict, type KubeObject, unlessNotFound } from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import { readLatest } from "./observe.ts";
import { disown, type PatchOptions, targetOf, unblock } from "./owner-patches.ts";
import type { DependentPlan, ObservedDependent } from "./plan.ts";

export async function act(planned: DependentPlan, observed: ObservedDependent, options: PatchOptions): Promise<void> {
  switch (planned.do) {
    case "nothing":
      return;
    case "disown":
      return await disown(observed.node, planned.uids, options);
    case "delete":
      if (planned.unblock) await unblock(observed.node, options);
      return await remove(planned, observed, options);
  }
}

/** Deletes the object with this uid, as long as its owners are those that were observed. */
async function remove(
  { propagationPolicy, unblock: changed }: Extract<DependentPlan, { do: "delete" }>,
  { node, latest }: ObservedDependent,
  { client, signal }: PatchOptions,
): Promise<void> {
  const { resourceVersion = "", ownerReferences } = latest.metadata ?? {};
  const resource = client.resource<KubeObject>(node.ref);
  const { uid } = node;
  const removeIf = (preconditions: { uid: string; resourceVersion?: string }) =>
    unlessNotFound(resource.delete(targetOf(node), { preconditions, propagationPolicy, signal }), node.ref, node.name);
  try {
    await removeIf(changed ? { uid } : { uid, resourceVersion });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const now = await readLatest(client, node, signal);
    if (now === undefined) return;
    if (now.metadata?.resourceVersion === resourceVersion || !deepEqual(now.metadata?.ownerReferences, ownerReferences)) throw error;
    // Other fields change all the time: that is no reason to keep the object.
    await removeIf({ uid });
  }
}
