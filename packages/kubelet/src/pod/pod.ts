/** The API's types that a kubelet is about. */
import type { coreV1 } from "@coxswain/api";

/** A Pod as the API has it, or as a file on the node does. */
export type Pod = coreV1.Pod;
/** One container of a Pod's spec: ordinary, init, or sidecar. */
export type Container = coreV1.Container;
