/** What a Pod is given to live through, on a real node and on a simulated one. */
import type { api, Client } from "@coxswain/client";
import type { ContainerScript } from "@coxswain/kubelet";
import type { KubeObject } from "@coxswain/machinery";
import { images } from "../containerd/images.ts";

export type Pod = api.coreV1.Pod;
export type PodSpec = api.coreV1.PodSpec;
export type Container = api.coreV1.Container;

export interface Scenario {
  /** Of its Pod, too. */
  readonly name: string;
  /** There before. */
  readonly objects?: readonly KubeObject[];
  /** Its only container is called `main`, unless it says otherwise. */
  readonly spec: Partial<PodSpec>;
  readonly steps: readonly Step[];
  /** What its containers do, for nodes on which nothing really runs: of each attempt, the last of all others. */
  readonly plays?: Readonly<Record<string, ContainerScript | readonly ContainerScript[]>>;
  /** Why it cannot be simulated. */
  readonly onlyReal?: string;
}

export type Step =
  /** The Pod's status once this holds and, unless it is at once, some time has passed. Without a name it is only waited for. */
  | { readonly see?: string; readonly until: (pod: Pod) => boolean; readonly atOnce?: boolean }
  | { readonly act: (client: Client, pod: string) => Promise<unknown> };

/** A second and a half pass before a status is written down. */
export const settleMs = 1_500;

/** Without a server. */
export const missingImage = "127.0.0.1:9/missing:1";

export const sh = (command: string, more: Partial<Container> = {}): Container => ({
  name: "main",
  image: images.shell,
  command: ["/bin/sh", "-c", command],
  ...more,
});

/** Until it is asked to end. */
export const stays = "trap 'exit 0' TERM; sleep 3600 & wait";
export const idle = (more: Partial<Container> = {}): Container => sh(stays, more);

export const see = (name: string, until: (pod: Pod) => boolean): Step => ({ see: name, until });
/** For what is not so for long. */
export const glimpse = (name: string, until: (pod: Pod) => boolean): Step => ({ see: name, until, atOnce: true });

export const phase = (wanted: string) => (pod: Pod) => pod.status?.phase === wanted;
export const condition =
  (wanted: string, status = "True") =>
  (pod: Pod) =>
    pod.status?.conditions?.some((one) => one.type === wanted && one.status === status) === true;
export const isReady = condition("Ready");

export const statusOf = ({ status }: Pod, name = "main"): api.coreV1.ContainerStatus | undefined =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? []), ...(status?.ephemeralContainerStatuses ?? [])].find(
    (one) => one.name === name,
  );
/** And waits to be started again, perhaps. */
export const ended =
  (restarts: number, name = "main") =>
  (pod: Pod) => {
    const { state, lastState, restartCount } = statusOf(pod, name) ?? {};
    const terminated = state?.terminated ?? (state?.waiting === undefined ? undefined : lastState?.terminated);
    return restartCount === restarts && terminated !== undefined;
  };
/** How the real kubelet shows that it waits: only with its next look at the Pod, and then it starts it again. */
export const loops = (restarts: number, name = "main"): readonly Step[] => [
  glimpse(restarts === 1 ? "waits" : "waits longer", waiting("CrashLoopBackOff", { name, restarts })),
  { until: ended(restarts + 1, name) },
];
export const waiting =
  (reason: string, { name = "main", restarts = 0 } = {}) =>
  (pod: Pod) =>
    statusOf(pod, name)?.state?.waiting?.reason === reason && statusOf(pod, name)?.restartCount === restarts;
export const running =
  (name = "main", restarts = 0) =>
  (pod: Pod) =>
    statusOf(pod, name)?.state?.running !== undefined && statusOf(pod, name)?.restartCount === restarts;

/** The output of containers that are simulated. */
export const says = (file: string, what: string) => ({
  exec: { command: ["/bin/sh", "-c", `test -e ${file} || { echo ${what} >&2; exit 1; }`] },
});
