/**
 * How fast Nodes may be given up, zone by zone: slowly, more slowly where many fail at once, and not at all when all do,
 * for then it is more likely this process that has lost its network.
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#rate-limits-on-eviction
 */

type ZoneState = "initial" | "normal" | "partial" | "full";

/** kube-controller-manager's defaults; rates are Nodes a second. */
const rate = 0.1;
const secondaryRate = 0.01;
const largeZone = 50;
const unhealthyShare = 0.55;

interface Zone {
  state: ZoneState;
  rate: number;
  /** When a Node of it was last given up. */
  lastMs: number | undefined;
  /** In the order in which they failed. */
  readonly queue: Set<string>;
}

export type ZoneTransition = "go on" | "enter disruption" | "leave disruption";

export class Zones {
  readonly #zones = new Map<string, Zone>();

  zone(name: string): Zone {
    const zone = this.#zones.get(name) ?? { state: "initial", rate, lastMs: undefined, queue: new Set<string>() };
    this.#zones.set(name, zone);
    return zone;
  }

  /** The Nodes whose turn has come; each has taken one. */
  *due(nowMs: number): Generator<string> {
    for (const zone of this.#zones.values()) {
      for (const node of [...zone.queue]) {
        if (zone.rate === 0 || (zone.lastMs !== undefined && nowMs - zone.lastMs < 1000 / zone.rate)) break;
        zone.lastMs = nowMs;
        yield node;
      }
    }
  }

  /** Of each zone, whether each of its Nodes is ready. A zone without Nodes is forgotten once none is due. */
  transition(ready: ReadonlyMap<string, readonly boolean[]>): ZoneTransition {
    for (const name of ready.keys()) this.zone(name);
    for (const name of this.#zones.keys()) if (!ready.has(name)) this.#zones.delete(name);
    const states = new Map(Array.from(ready, ([name, nodes]) => [name, stateOf(nodes)]));
    const isFull = [...states.values()].every((state) => state === "full");
    const wasFull = [...this.#zones.values()].every(({ state }) => state === "full");
    if (isFull && wasFull) return "go on";
    for (const [name, zone] of this.#zones) {
      zone.state = states.get(name) ?? "initial";
      zone.rate = isFull ? 0 : rateOf(zone.state, ready.get(name)?.length ?? 0);
    }
    return isFull ? "enter disruption" : wasFull ? "leave disruption" : "go on";
  }
}

function stateOf(nodes: readonly boolean[]): ZoneState {
  const unready = nodes.filter((ready) => !ready).length;
  if (unready > 0 && unready === nodes.length) return "full";
  return unready > 2 && unready / nodes.length >= unhealthyShare ? "partial" : "normal";
}

const rateOf = (state: ZoneState, size: number): number => (state !== "partial" ? rate : size > largeZone ? secondaryRate : 0);
