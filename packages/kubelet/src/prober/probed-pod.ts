/** The probes of one Pod's containers, and what they have found. */

import type { Container, Pod } from "../pod/pod.ts";
import type { ProbeKind } from "./probe-state.ts";
import type { ProbedPodState } from "./probed-pod-state.ts";
import type { ProbeResults } from "./results.ts";
import { ProbeWorker, type Probing } from "./worker.ts";

export class ProbedPod {
  readonly #workers: readonly ProbeWorker[];
  #state: ProbedPodState;

  constructor(state: ProbedPodState, probing: Probing) {
    this.#state = state;
    const seen = () => this.#state;
    this.#workers = probedContainers(state.pod).flatMap((container) =>
      kinds
        .filter((kind) => container[kind] !== undefined)
        .map(
          (kind) =>
            new ProbeWorker(
              { kind, container, seen, startupOf: (id) => this.results(id).startup, resume: () => this.#syncWorkers() },
              probing,
            ),
        ),
    );
  }

  update(state: ProbedPodState): void {
    this.#state = state;
    this.#syncWorkers();
  }

  results(containerId: string): ProbeResults {
    const of = (kind: ProbeKind) => this.#workers.find((worker) => worker.kind === kind && worker.containerId === containerId)?.result;
    return { startup: of("startupProbe"), readiness: of("readinessProbe"), liveness: of("livenessProbe") };
  }

  stop(): void {
    for (const worker of this.#workers) worker.stop();
  }

  #syncWorkers(): void {
    for (const worker of this.#workers) worker.sync();
  }
}

const kinds: readonly ProbeKind[] = ["startupProbe", "readinessProbe", "livenessProbe"];

/** Ordinary containers, and those beside them. */
export function probedContainers({ spec }: Pod): readonly Container[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...(spec?.containers ?? []), ...sidecars].filter((container) => kinds.some((kind) => container[kind] !== undefined));
}
