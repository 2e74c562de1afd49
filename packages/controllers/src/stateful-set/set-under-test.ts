/** StatefulSets and their Pods as tests need them. */
import type { coreV1 } from "@coxswain/api";
import { wireTime } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { StatefulSet, VolumeClaim } from "./identity.ts";
import { podAt } from "./pod-of-set.ts";
import type { ObservedSet } from "./set-state.ts";

export const nowMs = 1_000_000;

export const template = (image: string): coreV1.PodTemplateSpec => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image, resources: {} }] },
});

export const revisions = {
  current: { name: "web-old", template: template("v1") },
  update: { name: "web-new", template: template("v2") },
  collisionCount: 0,
};

export const setUnderTest = (spec: Partial<NonNullable<StatefulSet["spec"]>> = {}): StatefulSet => ({
  metadata: { name: "web", namespace: "default", uid: "uid-web", generation: 1 },
  spec: {
    replicas: 3,
    serviceName: "web",
    selector: { matchLabels: { app: "web" } },
    template: template("v2"),
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    ...spec,
  },
});

/** `web-1 old pending`: what it is called, and how it differs from a Pod that is ready and of the new template. */
export function podsUnderTest(set: StatefulSet, pods: readonly string[]): Pod[] {
  return pods.map((words) => {
    const [name = "", ...traits] = words.split(" ");
    const has = (trait: string): boolean => traits.includes(trait);
    const revision = has("old") ? revisions.current : revisions.update;
    const made = podAt(set, { ...revisions, current: revision, update: revision }, Number(name.split("-").at(-1)));
    const phase = ["Pending", "Failed", "Succeeded"].find((one) => has(one.toLowerCase())) ?? "Running";
    const readyAt = has("fresh") ? nowMs - 1_000 : 0;
    const isReady = phase === "Running" && !has("unready");
    return {
      ...made,
      metadata: {
        ...made.metadata,
        uid: `uid-${name}`,
        ...(has("going") ? { deletionTimestamp: wireTime(nowMs) } : {}),
      },
      status: { phase, conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: wireTime(readyAt) }] },
    };
  });
}

export const observedUnderTest = (set: StatefulSet, pods: readonly string[], claims: readonly VolumeClaim[] = []): ObservedSet => ({
  set,
  revisions,
  history: [],
  pods: podsUnderTest(set, pods),
  claimNamed: (name) => claims.find(({ metadata }) => metadata?.name === name),
  nowMs,
});
