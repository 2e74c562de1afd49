import type { KubeObject } from "@coxswain/machinery";
import { cloneJson } from "../storage/clone-json.ts";

/** The current object, the caller's to change, with the preconditions of the wanted one: its uid and its resourceVersion. */
export function withPreconditions(next: Readonly<KubeObject>, current: Readonly<KubeObject>): KubeObject {
  const kept = cloneJson(current as KubeObject);
  const { uid, resourceVersion } = next.metadata ?? {};
  const { resourceVersion: _, ...meta } = kept.metadata ?? {};
  kept.metadata = { ...meta, ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  return kept;
}
