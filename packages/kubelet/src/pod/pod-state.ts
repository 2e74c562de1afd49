/** What the runtime has of one Pod, at one moment. */

import type { ContainerStatus, SandboxStatus } from "../runtime/runtime-status.ts";
import type { Container, Pod } from "./pod.ts";

export interface PodState {
  /** Newest first. */
  readonly sandboxes: readonly SandboxStatus[];
  /** Of all sandboxes, ended ones too; newest first. */
  readonly containers: readonly ContainerStatus[];
  /** Of the newest sandbox while it is ready. */
  readonly ips: readonly string[];
}

export const nothingThere: PodState = { sandboxes: [], containers: [], ips: [] };

export function podState(sandboxes: readonly SandboxStatus[], containers: readonly ContainerStatus[]): PodState {
  if (sandboxes.length === 0 && containers.length === 0) return nothingThere;
  const ordered = sandboxes.toSorted(newestFirst);
  const [newest] = ordered;
  return { sandboxes: ordered, containers: containers.toSorted(newestFirst), ips: newest?.ready === true ? newest.ips : [] };
}

/** Clocks are coarse: of two made at once the later attempt is newer. */
const newestFirst = (a: Attempt, b: Attempt): number => b.createdAt - a.createdAt || b.attempt - a.attempt;

interface Attempt {
  readonly createdAt: number;
  readonly attempt: number;
}

/** The container of this name that was made last. */
export const latest = ({ containers }: PodState, name: string): ContainerStatus | undefined => containers.find((one) => one.name === name);

export const isRunning = ({ containers }: PodState): boolean => containers.some(({ state }) => state === "running");

export const hasAnything = ({ sandboxes, containers }: PodState): boolean => sandboxes.length > 0 || containers.length > 0;

/** An ordinary container was made: all init containers had done their work by then. */
export const hasMadeOrdinary = (pod: Pod, state: PodState): boolean =>
  ordinary(pod).some(({ name }) => {
    const status = latest(state, name);
    return status !== undefined && status.state !== "unknown";
  });

/** An ordinary container was made in the sandbox that is in use. */
export function hasMadeOrdinaryNow(pod: Pod, { sandboxes: [sandbox], containers }: PodState): boolean {
  if (sandbox?.ready !== true) return false;
  return containers.some(({ sandboxId, name }) => sandboxId === sandbox.id && ordinary(pod).some((one) => one.name === name));
}

export const ordinary = (pod: Pod): readonly Container[] => pod.spec?.containers ?? [];
export const initial = (pod: Pod): readonly Container[] => pod.spec?.initContainers ?? [];
export const ephemeral = (pod: Pod) => pod.spec?.ephemeralContainers ?? [];

export const findContainer = (pod: Pod, name: string): Container | undefined =>
  ordinary(pod).find((one) => one.name === name) ??
  initial(pod).find((one) => one.name === name) ??
  ephemeral(pod).find((one) => one.name === name);

/** As events name the part of the Pod they are about. */
export function fieldPathOf(pod: Pod, { name }: Pick<Container, "name">): string {
  const list = ordinary(pod).some((one) => one.name === name)
    ? "containers"
    : initial(pod).some((one) => one.name === name)
      ? "initContainers"
      : "ephemeralContainers";
  return `spec.${list}{${name}}`;
}

/** As Kubernetes' messages name a Pod. */
export const describePod = ({ metadata: { name, namespace, uid } = {} }: Pod): string => `${name}_${namespace}(${uid})`;

/** An init container that keeps running beside the others. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";

/** Keep in step with the API: whoever asks for it is on the way out. */
export const isDeleted = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

export const isTerminal = (phase: string | undefined): boolean => phase === "Succeeded" || phase === "Failed";

/** Some container has a probe. */
export const isWatched = (pod: Pod): boolean =>
  [...ordinary(pod), ...initial(pod)].some(
    ({ startupProbe, livenessProbe, readinessProbe }) => startupProbe ?? livenessProbe ?? readinessProbe,
  );
