/**
 * What a Pod has been given of its node, which may be other than what is wanted for it now.
 * @see https://kep.k8s.io/1287
 */
import type { coreV1 } from "@coxswain/api";
import { parseQuantity } from "@coxswain/machinery";
import type { Resizing } from "../kuberuntime/pod-actions.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { initial, isSidecar, latest, ordinary, type PodState } from "../pod/pod-state.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";

type Resources = coreV1.ResourceRequirements;

const sizes = ["cpu", "memory"] as const;

export class Allocation {
  /** What was decided, by container. */
  #allocated = new Map<string, Resources>();
  #ofPod: Resources | undefined;
  /** What running containers were given; none where that is what was decided. */
  readonly #actuated = new Map<string, Resources>();

  /** Another kubelet may have begun: then what it said is what the containers have. */
  constructor(pod: Pod) {
    this.#take(pod);
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
    for (const { name, state, allocatedResources, resources } of [...containerStatuses, ...initContainerStatuses]) {
      const wanted = this.#allocated.get(name);
      if (wanted === undefined || state?.running === undefined || resources === undefined) continue;
      const given = { ...wanted, ...(allocatedResources === undefined ? {} : { requests: { ...wanted.requests, ...allocatedResources } }) };
      this.#allocated.set(name, {
        ...given,
        ...(resources.limits === undefined ? {} : { limits: { ...wanted.limits, ...resources.limits } }),
      });
      this.#actuated.set(name, resources);
    }
  }

  /** Whether what is wanted is what was given. */
  covers(pod: Pod): boolean {
    return (
      resizable(pod).every(({ name, resources }) => isSameSize(resources, this.#allocated.get(name))) &&
      isSameSize(pod.spec?.resources, this.#ofPod)
    );
  }

  /** The Pod as it is to run: with what it was given. */
  apply(pod: Pod): Pod {
    const { spec } = pod;
    if (spec === undefined || this.covers(pod)) return pod;
    const given = (container: Container): Container => {
      const resources = this.#allocated.get(container.name);
      return resources === undefined ? container : { ...container, resources };
    };
    const inits = spec.initContainers?.map(given);
    return {
      ...pod,
      spec: {
        ...spec,
        containers: spec.containers.map(given),
        ...(inits === undefined ? {} : { initContainers: inits }),
        ...(this.#ofPod === undefined ? {} : { resources: this.#ofPod }),
      },
    };
  }

  /** From now on the Pod has what is wanted for it. */
  grant(pod: Pod): void {
    for (const { name } of resizable(pod)) {
      const had = this.#allocated.get(name);
      if (!this.#actuated.has(name) && had !== undefined) this.#actuated.set(name, had);
    }
    this.#take(pod);
  }

  /** It is created again, with what was decided. */
  restarts({ name }: Container): void {
    this.#actuated.delete(name);
  }

  /** It has been given what was decided. */
  markActuated({ name }: Container): void {
    this.#actuated.delete(name);
  }

  actuated({ name }: Container): Resources | undefined {
    return this.#actuated.get(name) ?? this.#allocated.get(name);
  }

  readonly resizing = (container: Container, { state }: ContainerStatus): Resizing => {
    const has = this.#actuated.get(container.name);
    if (state !== "running" || has === undefined || isSameSize(container.resources, has)) return "none";
    const changed = sizes.filter((size) => !isSame(container.resources, has, size));
    const restarts = container.resizePolicy?.some(
      ({ resourceName, restartPolicy }) => restartPolicy === "RestartContainer" && changed.some((size) => size === resourceName),
    );
    return restarts === true ? "restart" : "inPlace";
  };

  /** Some running container does not have yet what was decided. */
  isUnderWay(pod: Pod, state: PodState): boolean {
    return resizable(pod).some((container) => {
      const status = latest(state, container.name);
      return status !== undefined && this.resizing(container, status) !== "none";
    });
  }

  #take(pod: Pod): void {
    this.#allocated = new Map(resizable(pod).map(({ name, resources }) => [name, resources ?? {}]));
    this.#ofPod = pod.spec?.resources;
  }
}

/** What ends by itself is not worth it. */
const resizable = (pod: Pod): readonly Container[] => [...ordinary(pod), ...initial(pod).filter(isSidecar)];

const isSameSize = (a: Resources | undefined, b: Resources | undefined): boolean => a === b || sizes.every((size) => isSame(a, b, size));

const isSame = (a: Resources | undefined, b: Resources | undefined, size: string): boolean =>
  isSameAmount(a?.requests?.[size], b?.requests?.[size]) && isSameAmount(a?.limits?.[size], b?.limits?.[size]);

function isSameAmount(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  const [one, other] = [parseQuantity(a ?? "0"), parseQuantity(b ?? "0")];
  return one !== undefined && other !== undefined && one.compare(other) === 0;
}
