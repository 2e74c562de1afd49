/** Ways to find objects that many controllers need. */
import type { KubeObject } from "@coxswain/machinery";

/** By the uid of each owner, the controlling one or not. */
export const byOwner = (object: KubeObject): readonly string[] => object.metadata?.ownerReferences?.map(({ uid }) => uid) ?? [];

/** By the uid of the owner that controls the object. */
export const byController = (object: KubeObject): readonly string[] =>
  object.metadata?.ownerReferences?.filter(({ controller }) => controller === true).map(({ uid }) => uid) ?? [];

/** By the value of one label. */
export const byLabel =
  (key: string) =>
  (object: KubeObject): readonly string[] => {
    const value = object.metadata?.labels?.[key];
    return value === undefined ? [] : [value];
  };
