/** How Pods that come from a file are known, and their mirrors in the API. */
import type { Pod } from "./pod.ts";

export const hashAnnotation = "kubernetes.io/config.hash";
export const sourceAnnotation = "kubernetes.io/config.source";
export const seenAnnotation = "kubernetes.io/config.seen";
const mirrorAnnotation = "kubernetes.io/config.mirror";

/** It is there to be seen alone: nothing that is done to it has an effect on what runs. */
export const isMirrorPod = ({ metadata }: Pod): boolean => metadata?.annotations?.[mirrorAnnotation] !== undefined;

/** Not written to the API first, but read from a file on the node. */
export const isStaticPod = ({ metadata }: Pod): boolean => (metadata?.annotations?.[sourceAnnotation] ?? "api") !== "api";

export const isMirrorOf = (mirror: Pod, { metadata }: Pod): boolean =>
  mirror.metadata?.annotations?.[mirrorAnnotation] === metadata?.annotations?.[hashAnnotation];

/** What the API is given: `nodeUid` makes it go with its Node. */
export function mirrorOf(pod: Pod, nodeName: string, nodeUid: string): Pod {
  const { name = "", namespace = "", labels, annotations } = pod.metadata ?? {};
  const { status: _, ...rest } = pod;
  return {
    ...rest,
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [mirrorAnnotation]: annotations?.[hashAnnotation] ?? "" },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: nodeName, uid: nodeUid, controller: true }],
    },
  };
}
