/** What Kubernetes calls ready: the condition of that name, and of workloads their Pods. */
import type { KubeObject } from "@coxswain/machinery";
import { asKubeObject, type Check, nameOfObject } from "./check.ts";
import { checkCondition } from "./conditions.ts";

interface Workload {
  readonly spec?: { readonly replicas?: number };
  readonly status?: Readonly<Record<string, unknown>>;
}

interface Counts {
  readonly wanted: number;
  /** By their names in the status. */
  readonly are: Readonly<Record<string, number>>;
}

const numberIn = ({ status }: Workload, field: string): number => (typeof status?.[field] === "number" ? status[field] : 0);

const replicas =
  (...fields: readonly string[]) =>
  (workload: Workload): Counts => ({
    wanted: workload.spec?.replicas ?? 1,
    are: Object.fromEntries(fields.map((field) => [field, numberIn(workload, field)])),
  });

/** What has to be as many as are wanted. */
const counts: Readonly<Record<string, (workload: Workload) => Counts>> = {
  __proto__: null as never,
  Deployment: replicas("updatedReplicas", "readyReplicas"),
  StatefulSet: replicas("updatedReplicas", "readyReplicas"),
  ReplicaSet: replicas("readyReplicas"),
  ReplicationController: replicas("readyReplicas"),
  DaemonSet: (workload) => ({
    wanted: numberIn(workload, "desiredNumberScheduled"),
    are: { updatedNumberScheduled: numberIn(workload, "updatedNumberScheduled"), numberReady: numberIn(workload, "numberReady") },
  }),
};

/** Of a Deployment, StatefulSet, DaemonSet, ReplicaSet all Pods are ready, and of its newest template; of anything else the condition is True. */
export function checkReady(value: unknown): Check {
  const object = asKubeObject(value);
  const countsOf = Object.hasOwn(counts, object.kind ?? "") ? counts[object.kind ?? ""] : undefined;
  return countsOf === undefined
    ? { ...checkCondition(object, "Ready"), claim: "be ready" }
    : checkWorkload(object, countsOf(object as Workload));
}

function checkWorkload(object: KubeObject, { wanted, are }: Counts): Check {
  const { observedGeneration } = (object.status ?? {}) as { readonly observedGeneration?: number };
  const isObserved = (observedGeneration ?? 0) >= (object.metadata?.generation ?? 0);
  const pass = isObserved && Object.values(are).every((are) => are >= wanted);
  const found = Object.entries(are).map(([field, number]) => `${field} is ${number} of ${wanted}`);
  const outdated = isObserved ? [] : [`observedGeneration is ${observedGeneration ?? "not set"}, before ${object.metadata?.generation}`];
  return { pass, subject: nameOfObject(object), claim: "be ready", found: [...outdated, ...found].join(", ") };
}
