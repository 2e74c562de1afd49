/** What a plan does to ReplicaSets, and what becomes of a rollout by it. */
import { deepEqual } from "@coxswain/machinery";
import { withReplicas } from "./annotations.ts";
import { type Deployment, type ReplicaSet, type Rollout, wantedOf } from "./rollout.ts";

export type Step =
  /** It becomes the newest. */
  | { readonly do: "create"; readonly replicaSet: ReplicaSet }
  | { readonly do: "update"; readonly replicaSet: ReplicaSet; readonly from: ReplicaSet }
  | { readonly do: "delete"; readonly replicaSet: ReplicaSet };

/** Nothing when it has this size; with `always`, also when it only lacks the notes of what it was scaled for. */
export function scaleStep(deployment: Deployment, replicaSet: ReplicaSet, replicas: number, always = false): readonly Step[] {
  const { metadata, spec } = replicaSet;
  if (spec === undefined || (!always && wantedOf(replicaSet) === replicas)) return [];
  const annotations = { ...withReplicas(metadata?.annotations ?? {}, deployment) };
  const next = { ...replicaSet, metadata: { ...metadata, annotations }, spec: { ...spec, replicas } };
  return deepEqual(next, replicaSet) ? [] : [{ do: "update", replicaSet: next, from: replicaSet }];
}

/** How things are once the steps are done. */
export function after(rollout: Rollout, steps: readonly Step[]): Rollout {
  return steps.reduce(({ deployment, newest, old }, step): Rollout => {
    if (step.do === "create") return { deployment, newest: step.replicaSet, old };
    if (step.do === "delete") return { deployment, newest, old: old.filter((one) => one !== step.replicaSet) };
    if (newest === step.from) return { deployment, newest: step.replicaSet, old };
    return { deployment, newest, old: old.map((one) => (one === step.from ? step.replicaSet : one)) };
  }, rollout);
}

/** One write for all that happens to an object in a row. */
export function merged(steps: readonly Step[]): readonly Step[] {
  const all: Step[] = [];
  for (const step of steps) {
    const at = step.do === "update" ? all.findIndex((earlier) => earlier.replicaSet === step.from) : -1;
    const earlier = all[at];
    if (earlier === undefined) all.push(step);
    else all[at] = { ...earlier, replicaSet: step.replicaSet };
  }
  return all;
}
