/** DaemonSets, Nodes and their Pods as tests need them. */
import type { Node } from "@coxswain/api";
import { wireTime } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import { type DaemonSet, daemonPod } from "./daemon-pod.ts";
import { type ObservedDaemons, podsByNode } from "./observe.ts";
import { placementOf } from "./placement.ts";

export const nowMs = 1_000_000;

export const daemonSetUnderTest = (spec: Partial<NonNullable<DaemonSet["spec"]>> = {}): DaemonSet => ({
  metadata: { name: "agent", namespace: "default", uid: "uid-agent", generation: 2 },
  spec: {
    selector: { matchLabels: { app: "agent" } },
    template: { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "c", image: "v2", resources: {} }] } },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    ...spec,
  },
});

/** `a tainted`: what it is called, and what keeps Pods away from it. */
const nodeUnderTest = (words: string): Node => {
  const [name = "", effect] = words.split(" ");
  const taints = effect === undefined ? [] : [{ key: "k", effect }];
  return { metadata: { name, labels: { "kubernetes.io/hostname": name } }, spec: { taints } };
};

/** `p1 a old`: what it is called, its Node, and how it differs from a Pod that is ready and of the new template. */
function podUnderTest(daemonSet: DaemonSet, words: string): Pod {
  const [name = "", node = "", ...traits] = words.split(" ");
  const has = (trait: string): boolean => traits.includes(trait);
  const made = daemonPod(daemonSet, has("old") ? "old" : "new", node);
  const phase = ["Pending", "Failed", "Succeeded"].find((one) => has(one.toLowerCase())) ?? "Running";
  const readyAt = wireTime(has("fresh") ? nowMs - 1_000 : 0);
  const status = phase === "Running" && !has("unready") ? "True" : "False";
  return {
    ...made,
    metadata: { ...made.metadata, name, uid: `uid-${name}`, ...(has("going") ? { deletionTimestamp: wireTime(nowMs) } : {}) },
    spec: { containers: [], ...made.spec, ...(has("unscheduled") ? {} : { nodeName: node }) },
    status: { phase, conditions: [{ type: "Ready", status, lastTransitionTime: readyAt }] },
  };
}

export const observedUnderTest = (
  daemonSet: DaemonSet,
  nodes: readonly string[],
  pods: readonly string[],
  pauses: Readonly<Record<string, number>> = {},
): ObservedDaemons => ({
  daemonSet,
  hash: "new",
  pods: [],
  oldRevisions: [],
  nodes: nodes.map(nodeUnderTest),
  placement: placementOf(daemonSet),
  podsByNode: podsByNode(pods.map((words) => podUnderTest(daemonSet, words))),
  pauseOn: (node) => pauses[node],
  nowMs,
});
