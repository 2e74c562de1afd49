/** Deployments and ReplicaSets as tests need them. */
import { wireTime } from "@coxswain/machinery";
import { desiredAnnotation, maxAnnotation, revisionAnnotation } from "./annotations.ts";
import type { Deployment, ReplicaSet } from "./rollout.ts";

/** What all is observed at; milliseconds since the epoch. */
export const nowMs = 1_000_000;

export interface DeploymentUnderTest {
  readonly replicas?: number;
  /** Default: v2. */
  readonly image?: string;
  /** Default: 1. */
  readonly maxSurge?: number | string;
  /** Default: 0. */
  readonly maxUnavailable?: number | string;
  readonly strategy?: "RollingUpdate" | "Recreate";
  readonly annotations?: Record<string, string>;
  readonly spec?: Partial<NonNullable<Deployment["spec"]>>;
  readonly status?: NonNullable<Deployment["status"]>;
  readonly isGoing?: boolean;
}

export function deploymentUnderTest(given: DeploymentUnderTest = {}): Deployment {
  const { maxSurge = 1, maxUnavailable = 0, strategy = "RollingUpdate", annotations } = given;
  return {
    metadata: {
      name: "web",
      namespace: "default",
      uid: "web",
      generation: 1,
      ...(annotations === undefined ? {} : { annotations }),
      ...(given.isGoing === true ? { deletionTimestamp: wireTime(nowMs) } : {}),
    },
    spec: {
      replicas: given.replicas ?? 3,
      selector: { matchLabels: { app: "web" } },
      template: templateOf(given.image ?? "v2", { app: "web" }),
      strategy: { type: strategy, ...(strategy === "Recreate" ? {} : { rollingUpdate: { maxSurge, maxUnavailable } }) },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...given.spec,
    },
    ...(given.status === undefined ? {} : { status: given.status }),
  };
}

export interface ReplicaSetUnderTest {
  /** Its name and its place in time. */
  readonly revision: number;
  readonly wants: number;
  /** Default: as many as it wants. */
  readonly has?: number;
  /** Default: as many as it has. */
  readonly available?: number;
  /** Default: `v` and the revision. */
  readonly image?: string;
  /** What the Deployment wanted when it was scaled last. Default: 3. */
  readonly desired?: number;
  /** Default: one more than desired. */
  readonly max?: number;
  readonly annotations?: Record<string, string>;
  readonly status?: ReplicaSet["status"];
}

export function replicaSetUnderTest(given: ReplicaSetUnderTest): ReplicaSet {
  const { revision, wants, has = wants, available = has, desired = 3, max = desired + 1 } = given;
  const labels = { app: "web", "pod-template-hash": `r${revision}` };
  return {
    metadata: {
      name: `r${revision}`,
      namespace: "default",
      uid: `r${revision}`,
      generation: 1,
      creationTimestamp: wireTime(revision * 1000),
      labels,
      annotations: {
        [revisionAnnotation]: String(revision),
        [desiredAnnotation]: String(desired),
        [maxAnnotation]: String(max),
        ...given.annotations,
      },
    },
    spec: { replicas: wants, selector: { matchLabels: labels }, template: templateOf(given.image ?? `v${revision}`, labels) },
    status: given.status ?? {
      replicas: has,
      readyReplicas: available,
      availableReplicas: available,
      terminatingReplicas: 0,
      observedGeneration: 1,
    },
  };
}

const templateOf = (image: string, labels: Record<string, string>) => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image }] },
});
