/** Follows who owns what, of any resource. */
import type { Informer, InformerLease, InformerSet, KubeObject, ResourceRef } from "@coxswain/client";
import { onlyOwnership } from "./only-ownership.ts";

/** Objects have at least their identity, owners, finalizers and deletion: all of them where somebody follows them whole already, since one copy is enough. */
export function followOwnership(informers: InformerSet, ref: ResourceRef): InformerLease {
  const isWhole = (informer: Informer): boolean =>
    informer.ref.version === ref.version && informer.namespace === undefined && Object.keys(informer.selection).length === 0;
  return informers.covering(ref, undefined).some(isWhole)
    ? informers.use<KubeObject>(ref)
    : informers.use<KubeObject>(ref, { metadataOnly: true, transform: onlyOwnership });
}
