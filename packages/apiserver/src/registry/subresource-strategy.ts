import type { FieldError, KubeObject } from "@coxswain/machinery";

/** How one subresource writes a part of its parent: what Kubernetes' strategies of subresources do. */
export interface SubresourceStrategy {
  /** The current object with what the subresource may change taken from the wanted one. `now` is RFC 3339. */
  prepareForUpdate(next: KubeObject, current: Readonly<KubeObject>, now: string): KubeObject;
  validateUpdate(next: Readonly<KubeObject>, current: Readonly<KubeObject>): readonly FieldError[];
}
