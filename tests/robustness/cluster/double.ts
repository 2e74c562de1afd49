/**
 * A test double of several servers on one etcd, with clients that read, write and watch, all from one seed; and what it records.
 * With the name of a bug it has that. Each step is a moment of its clock.
 */
import { type Random, seededRandom } from "../../fuzz/harness/random.ts";
import { DoubleClient } from "./double-client.ts";
import { type Bug, Server, Store, WatchStream } from "./double-store.ts";
import type { Filter, History, Operation, Watch } from "./history.ts";

export interface DoubleOptions {
  readonly seed: number;
  /** How many operations are recorded. */
  readonly operations: number;
  readonly bug?: Bug;
  readonly clients?: number;
  readonly servers?: number;
  readonly keys?: number;
}

export function runDouble(options: DoubleOptions): History {
  const double = new Double(options);
  while (double.recorded.length < options.operations) double.step();
  return double.finish();
}

class Double {
  readonly recorded: Operation[] = [];
  readonly #random: Random;
  readonly #bug: Bug | undefined;
  readonly #store = new Store();
  readonly #servers: readonly Server[];
  readonly #clients: readonly DoubleClient[];
  readonly #watches: Watch[] = [];
  /** Writes whose clients no longer wait. */
  readonly #late: (() => void)[] = [];
  #streams: WatchStream[] = [];
  #time = 0;
  #lastId = 0;

  constructor({ seed, bug, clients = 4, servers = 3, keys = 3 }: DoubleOptions) {
    this.#random = seededRandom(seed);
    this.#bug = bug;
    this.#servers = Array.from({ length: servers }, (_, i) => new Server(`server-${i + 1}`, this.#store));
    const names = Array.from({ length: keys }, (_, i) => `key-${i + 1}`);
    const shared = { random: this.#random, bug, store: this.#store, servers: this.#servers, keys: names };
    const record = (operation: Operation): void => void this.recorded.push(operation);
    const late = (write: () => void): void => void this.#late.push(write);
    this.#clients = Array.from(
      { length: clients },
      (_, i) => new DoubleClient({ ...shared, name: `client-${i + 1}`, record, late, nextId: () => ++this.#lastId }),
    );
    const filters: readonly Filter[] = [{}, {}, { key: "key-1" }, { token: "odd" }];
    for (const filter of filters) this.#watch(`watcher-${this.#streams.length + 1}`, filter, 0);
  }

  step(): void {
    this.#time++;
    const random = this.#random;
    const chosen = random.below(100);
    if (chosen < 60) random.pick(this.#clients).step(this.#time);
    else if (chosen < 76) random.pick(this.#servers).follow();
    else if (chosen < 94) this.#stepOfWatch(random.pick(this.#streams));
    else if (chosen < 96) this.#late.shift()?.();
    else if (chosen < 98) this.#interrupt(random.pick(this.#streams), "stopped");
    else if (random.oneIn(4)) this.#crash(random.pick(this.#servers));
    else if (random.oneIn(3)) this.#store.compacted = Math.max(this.#store.compacted, this.#store.revision - random.below(6));
  }

  /** All that has begun ends, and all that was written is delivered. */
  finish(): History {
    for (const client of this.#clients) while (!client.isIdle) client.step(++this.#time);
    for (const server of this.#servers) server.catchUp();
    while (this.#streams.some((stream) => this.#stepOfWatch(stream))) this.#time++;
    for (const stream of this.#streams) {
      stream.end(++this.#time, "finished");
      this.#watches.push(stream.record);
    }
    return { operations: this.recorded, watches: this.#watches };
  }

  /** Whether anything has changed that may make another step worth while. */
  #stepOfWatch(stream: WatchStream): boolean {
    const result = stream.deliver(this.#time);
    if (result === "nothing" && this.#random.oneIn(4)) stream.bookmark(this.#time);
    // As a reflector, that lists and goes on from there; the list is another client's operation.
    if (result === "expired") this.#replace(stream, Math.max(this.#store.compacted, this.#store.revision - 1));
    return result !== "nothing";
  }

  #interrupt(stream: WatchStream, by: "stopped" | "closed"): void {
    stream.end(this.#time, by);
    this.#replace(stream, stream.seen);
  }

  #replace(stream: WatchStream, from: number): void {
    this.#watches.push(stream.record);
    this.#streams = this.#streams.filter((one) => one !== stream);
    this.#watch(stream.client, stream.filter, from);
  }

  #watch(client: string, filter: Filter, from: number): void {
    const server = this.#random.pick(this.#servers);
    const [store, bug, random] = [this.#store, this.#bug, this.#random];
    this.#streams.push(new WatchStream({ id: ++this.#lastId, client, server, from, filter, start: this.#time, store, bug, random }));
  }

  #crash(server: Server): void {
    const isForgetful = this.#bug === "revision-goes-back";
    if (isForgetful) this.#store.forgetLast();
    for (const one of isForgetful ? this.#servers : [server]) one.restart();
    for (const stream of this.#streams) if (stream.server === server) this.#interrupt(stream, "closed");
  }
}
