/** What names a resource, and carries the type of its objects. */
import type { GroupVersionKind, GroupVersionResource, KubeObject } from "@coxswain/machinery";

declare const objectType: unique symbol;

/** A resource as requests name it, with the type of its objects. */
export interface ResourceRef<T extends KubeObject = KubeObject> extends GroupVersionResource, GroupVersionKind {
  readonly namespaced: boolean;
  /** Never set: it carries the type. */
  readonly [objectType]?: T;
}

/** For resources of one's own: `defineResource<Seat>({ group: "cinema.example", version: "v1", resource: "seats", kind: "Seat", namespaced: true })`. */
export const defineResource = <T extends KubeObject>(ref: Omit<ResourceRef<T>, typeof objectType>): ResourceRef<T> => ref;

/** One object of a resource. */
export interface ObjectRef {
  /** Absent for what is not in a namespace; elsewhere it means the client's own namespace. */
  readonly namespace?: string | undefined;
  readonly name: string;
}
