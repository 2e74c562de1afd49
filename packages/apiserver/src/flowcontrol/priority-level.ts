/**
 * A priority level while it is served: its seats, and the queues of its requests.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#prioritylevelconfiguration
 */
import type { flowcontrolV1 } from "@coxswain/api";
import type { Clock, KubeObject } from "@coxswain/machinery";
import type { LevelSeries } from "../metrics/flow-control.ts";
import { DroppedRequests } from "./dropped-requests.ts";
import { QueueSet } from "./queue-set.ts";
import type { Queuing } from "./queuing.ts";
import type { Turns } from "./thread-turns.ts";

export type PriorityLevelObject = Readonly<flowcontrolV1.PriorityLevelConfiguration & KubeObject>;

/** Of the seats of its level, what one request may have. */
const maxShareOfOne = 0.15;

export class PriorityLevel {
  readonly name: string;
  readonly queues: QueueSet;
  readonly dropped: DroppedRequests;
  readonly series: LevelSeries = {
    nominal: 0,
    lower: 0,
    upper: 0,
    current: 0,
    target: 0,
    demand: { highWatermark: 0, average: 0, deviation: 0, smoothed: 0 },
  };
  uid = "";
  isExempt = false;
  /** It is deleted, and goes once its last request has ended. */
  isQuiescing = false;
  shares = 0;
  /** What one request may take; 0 where none waits. */
  maxSeats = 0;
  #lendable = 0;
  #borrowing: number | undefined;
  #queuing: Queuing = { kind: "reject" };

  constructor(name: string, clock: Clock, turns: Turns) {
    this.name = name;
    this.queues = new QueueSet(clock, turns);
    this.dropped = new DroppedRequests(clock);
  }

  set({ metadata, spec }: PriorityLevelObject): void {
    this.uid = metadata?.uid ?? "";
    this.isQuiescing = false;
    this.isExempt = spec?.type === "Exempt";
    const { limited, exempt } = spec ?? {};
    this.shares = (this.isExempt ? exempt?.nominalConcurrencyShares : limited?.nominalConcurrencyShares) ?? (this.isExempt ? 0 : 30);
    this.#lendable = ((this.isExempt ? exempt?.lendablePercent : limited?.lendablePercent) ?? 0) / 100;
    this.#borrowing = limited?.borrowingLimitPercent === undefined ? undefined : limited.borrowingLimitPercent / 100;
    this.#queuing = this.isExempt ? { kind: "exempt" } : queuingOf(limited?.limitResponse?.queuing);
  }

  /** @param total of the server; all levels together may have a little more, for none has less than one */
  shareOut(total: number, allShares: number): void {
    const { series } = this;
    series.nominal = allShares === 0 ? 0 : Math.ceil((total * this.shares) / allShares);
    series.lower = series.nominal - Math.round(series.nominal * this.#lendable);
    series.upper = series.nominal + (this.#borrowing === undefined ? total : Math.round(series.nominal * this.#borrowing));
    this.maxSeats = this.#queuing.kind === "queue" ? maxSeatsOf(series.nominal, this.#queuing.handSize) : 0;
  }

  limitTo(seats: number, now: number): void {
    this.series.current = seats;
    this.queues.configure(this.#queuing, seats, now);
  }

  /** What it must have now: what it used lately, if its own seats are as many, and never less than it does not lend. */
  get minCurrent(): number {
    const { lower, nominal } = this.series;
    const { highWatermark } = this.queues.demand.last;
    return Math.max(lower, this.isExempt ? highWatermark : Math.min(nominal, highWatermark));
  }
}

/** Few enough for the requests of a whole hand to run. */
const maxSeatsOf = (nominal: number, handSize: number): number =>
  Math.max(1, Math.min(Math.ceil(nominal * maxShareOfOne), Math.floor(nominal / handSize)));

function queuingOf(queuing: flowcontrolV1.QueuingConfiguration | undefined): Queuing {
  if (queuing === undefined) return { kind: "reject" };
  const { queues = 64, handSize = 8, queueLengthLimit = 50 } = queuing;
  return { kind: "queue", queues, handSize, queueLengthLimit };
}
