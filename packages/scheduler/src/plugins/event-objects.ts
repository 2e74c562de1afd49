/** What hints are given, as the kinds that their events are of. */
import type { KubeObject } from "@coxswain/machinery";
import type { Node } from "../framework/node-info.ts";
import type { Pod } from "../framework/pod-info.ts";

export const nodeOf = (object: KubeObject | undefined): Node | undefined => object as Node | undefined;
export const podOf = (object: KubeObject | undefined): Pod | undefined => object as Pod | undefined;

/** An event is put to every Pod that waits, one after the other: what is read of its two objects is kept for the next. */
export function readOnce<K extends object, V>(read: (object: K) => V): (object: K) => V {
  let recent: readonly { readonly object: K; readonly value: V }[] = [];
  return (object) => {
    const known = recent.find((one) => one.object === object);
    if (known !== undefined) return known.value;
    const made = { object, value: read(object) };
    recent = [made, ...recent.slice(0, 1)];
    return made.value;
  };
}
