import type { Indexes } from "@coxswain/client";
import type { Pod } from "./pod-state.ts";

/** The name of the index. */
export const byNode = "node";

/** Finds Pods by the Node they are on. An informer's users share its indexes, so there is one of this. */
export const podsByNode: Indexes<Pod> = {
  [byNode]: ({ spec }) => (spec?.nodeName === undefined || spec.nodeName === "" ? [] : [spec.nodeName]),
};
