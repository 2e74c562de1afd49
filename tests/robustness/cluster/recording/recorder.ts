/** What the clients of one run share: its namespace, its clock and its record. */
import type { Transport } from "@coxswain/client";
import type { Random } from "../../../fuzz/harness/random.ts";
import type { History, Operation, Watch } from "../history.ts";

/** A server as a client of one run reaches it. */
export interface Target {
  readonly name: string;
  readonly transport: Transport;
}

export interface RecorderOptions {
  readonly namespace: string;
  /** The resourceVersion at which it was empty. */
  readonly base: number;
}

type Unrecorded<T> = T extends Operation ? Omit<T, "type" | "id" | "return"> : never;
export type Done = Unrecorded<Operation>;

export class Recorder {
  readonly namespace: string;
  readonly base: number;
  readonly #operations: Operation[] = [];
  readonly #watches: (Watch & { readonly items: Watch["items"][number][] })[] = [];
  #lastId = 0;
  #lastToken = 0;

  constructor({ namespace, base }: RecorderOptions) {
    [this.namespace, this.base] = [namespace, base];
  }

  /** Monotonic milliseconds, the same clock for all. */
  now(): number {
    return performance.now();
  }

  /** That no other write has. */
  nextToken(): string {
    return `w${++this.#lastToken}`;
  }

  record(operation: Done): void {
    this.#operations.push({ ...operation, type: "operation", id: ++this.#lastId, return: this.now() } as Operation);
  }

  beginWatch(watch: Pick<Watch, "client" | "server" | "from" | "filter">): { readonly items: Watch["items"][number][] } {
    const begun = { ...watch, type: "watch" as const, id: ++this.#lastId, start: this.now(), items: [] };
    this.#watches.push(begun);
    return begun;
  }

  get operationCount(): number {
    return this.#operations.length;
  }

  get history(): History {
    return { operations: this.#operations, watches: this.#watches };
  }
}

/** What the clients and watchers of a run are made of. */
export interface Participant {
  readonly name: string;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly targets: readonly Target[];
}
