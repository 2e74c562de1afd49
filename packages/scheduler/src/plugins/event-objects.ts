/** What hints are given, as the kinds that their events are of. */
import type { KubeObject } from "@coxswain/machinery";
import type { Node } from "../framework/node-info.ts";
import type { Pod } from "../framework/pod-info.ts";

export const nodeOf = (object: KubeObject | undefined): Node | undefined => object as Node | undefined;
export const podOf = (object: KubeObject | undefined): Pod | undefined => object as Pod | undefined;
