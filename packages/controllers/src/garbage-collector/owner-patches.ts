/** The writes by which the garbage collector changes what an object says of its owners, and what holds it. */
import {
  type Client,
  isUnsupportedMediaType,
  type KubeObject,
  type OwnerReference,
  releaseFinalizer,
  retryOnConflict,
  unlessNotFound,
} from "@coxswain/client";
import type { Node } from "./node.ts";

export interface PatchOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** It names these owners no more. Whoever else changes it meanwhile is not in the way. */
export const disown = (node: Node, uids: readonly string[], options: PatchOptions): Promise<void> =>
  patchOwners(node, options, {
    strategic: uids.map((uid) => ({ $patch: "delete", uid })),
    next: (owners) => owners.filter(({ uid }) => !uids.includes(uid)),
  });

/** No owner waits for it any more. */
export const unblock = (node: Node, options: PatchOptions): Promise<void> =>
  patchOwners(node, options, {
    strategic: node.owners.filter((owner) => owner.blockOwnerDeletion === true).map((owner) => ({ ...owner, blockOwnerDeletion: false })),
    next: (owners) => owners.map((owner) => (owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner)),
  });

interface OwnersChange {
  readonly strategic: readonly object[];
  /** For resources without strategic merge patches: there the list is replaced as a whole. */
  next(owners: readonly OwnerReference[]): readonly OwnerReference[];
}

async function patchOwners(node: Node, { client, signal }: PatchOptions, change: OwnersChange): Promise<void> {
  const { uid } = node;
  const resource = client.resource<KubeObject>(node.ref);
  const target = targetOf(node);
  try {
    await resource.patch(target, { type: "strategic", patch: { metadata: { uid, ownerReferences: change.strategic } } }, { signal });
  } catch (error) {
    if (!isUnsupportedMediaType(error)) throw error;
    await retryOnConflict(
      async () => {
        const { metadata = {} } = await resource.get(target, { signal });
        if (metadata.uid !== uid) return;
        const { resourceVersion, ownerReferences = [] } = metadata;
        const patch = { metadata: { uid, resourceVersion, ownerReferences: change.next(ownerReferences) } };
        await resource.patch(target, { type: "merge", patch }, { signal });
      },
      { clock: client.clock, random: client.random, signal },
    );
  }
}

/** What has gone meanwhile needs nothing. */
export async function release(node: Node, finalizer: string, { client, signal }: PatchOptions): Promise<void> {
  const resource = client.resource<KubeObject>(node.ref);
  const released = retryOnConflict(
    async () => {
      const object = await resource.get(targetOf(node), { signal });
      if (object.metadata?.uid === node.uid) await releaseFinalizer(resource, object, finalizer, { signal });
    },
    { clock: client.clock, random: client.random, signal },
  );
  await unlessNotFound(released, node.ref, node.name);
}

export const targetOf = ({ ref, namespace, name }: Node): { readonly name: string; readonly namespace?: string } =>
  ref.namespaced ? { namespace, name } : { name };
