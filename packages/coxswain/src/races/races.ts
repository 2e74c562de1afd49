/** The races of a server: who has which, how many at once, and the thread that they run in, which is there while there are any. */
import type { Log } from "@coxswain/apiserver";
import {
  type Clock,
  notFound,
  type RaceReport,
  type RaceRequest,
  type RandomSource,
  StatusError,
  serviceUnavailable,
  type Timer,
  tooManyRequests,
} from "@coxswain/machinery";
import { UnansweredError, WorkerThread } from "../threads/worker-thread.ts";
import type { RaceCalls, RaceOutcome } from "./race-protocol.ts";

export interface RacesOptions {
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "uuid">;
  readonly log: Log;
  /** What the thread runs. Default: the races. */
  readonly script?: URL;
}

interface Race {
  readonly id: string;
  readonly user: string;
  lastUsedMs: number;
}

/** Whoever begins one more ends the one that they have not used for longest. */
const maxOfUser = 4;
const maxRaces = 16;
/** Nobody watches any more. */
const idleMs = 10 * 60_000;
const checkMs = 60_000;
/** A race begins in a second, on a busy machine in some. What takes longer than this does not end. */
const answerMs = 30_000;
const endMs = 2_000;
/** Of all races together. They end when they need more. */
const maxMegabytes = 512;

type Thread = WorkerThread<RaceCalls, never>;

export class Races implements AsyncDisposable {
  readonly #options: RacesOptions;
  readonly #races = new Map<string, Race>();
  #thread: Thread | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: RacesOptions) {
    this.#options = options;
  }

  /** @throws StatusError */
  async begin(user: string, request: RaceRequest): Promise<RaceReport> {
    await this.#endOldestOf(user);
    if (this.#races.size >= maxRaces) throw tooManyRequests("all races of this server are being watched, please try again later", 60);
    const { clock, random } = this.#options;
    const race: Race = { id: random.uuid(), user, lastUsedMs: clock.monotonic() };
    this.#races.set(race.id, race);
    this.#checkLater();
    try {
      return await this.#call("begin", race.id, request);
    } catch (error) {
      this.#races.delete(race.id);
      throw error;
    }
  }

  /** @throws StatusError */
  async act(user: string, id: string, action: string, afterStep: number): Promise<RaceReport> {
    this.#use(user, id);
    return await this.#call("act", id, action, afterStep);
  }

  /** @throws StatusError */
  async report(user: string, id: string): Promise<RaceReport> {
    this.#use(user, id);
    return await this.#call("report", id);
  }

  /** @throws notFound() */
  async end(user: string, id: string): Promise<void> {
    this.#use(user, id);
    await this.#end(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    this.#races.clear();
    await this.#endThread();
  }

  /** Another's is not there at all. @throws notFound() */
  #use(user: string, id: string): void {
    const race = this.#races.get(id);
    if (race === undefined || race.user !== user) throw notFound({ group: "coxswain", resource: "races" }, id);
    race.lastUsedMs = this.#options.clock.monotonic();
  }

  async #endOldestOf(user: string): Promise<void> {
    const own = [...this.#races.values()].filter((race) => race.user === user).sort((a, b) => a.lastUsedMs - b.lastUsedMs);
    for (const { id } of own.slice(0, Math.max(0, own.length - maxOfUser + 1))) await this.#end(id);
  }

  async #end(id: string): Promise<void> {
    this.#races.delete(id);
    if (this.#races.size === 0) return await this.#endThread();
    await this.#thread?.call(answerMs, "end", id).catch((error: unknown) => this.#failed(error));
  }

  /** Whose thread has ended has no race any more. @throws StatusError */
  async #call<M extends "begin" | "act" | "report">(method: M, ...args: Parameters<RaceCalls[M]>): Promise<RaceReport> {
    this.#thread ??= this.#startThread();
    let outcome: RaceOutcome;
    try {
      outcome = await this.#thread.call(answerMs, method, ...args);
    } catch (error) {
      throw this.#failed(error);
    }
    if (!outcome.ok) throw new StatusError(outcome.status);
    return outcome.report;
  }

  #failed(error: unknown): StatusError {
    this.#options.log.warn({ error }, "failed to run a race");
    if (error instanceof UnansweredError) this.#thread?.fail(error);
    return serviceUnavailable("the races have ended: begin again");
  }

  #startThread(): Thread {
    if (this.#isClosed) throw serviceUnavailable("the server is closing");
    const { clock, log, script = ownScript } = this.#options;
    const thread: Thread = new WorkerThread<RaceCalls, never>({
      ...{ script, data: {}, transfer: [], clock, log },
      maxOldGenerationSizeMb: maxMegabytes,
      receive: () => undefined,
      onEnd: () => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        this.#races.clear();
      },
    });
    return thread;
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end(endMs);
  }

  #checkLater(): void {
    this.#timer ??= this.#options.clock.schedule(checkMs, () => {
      this.#timer = undefined;
      const now = this.#options.clock.monotonic();
      for (const { id, lastUsedMs } of [...this.#races.values()]) if (now - lastUsedMs > idleMs) void this.#end(id);
      if (this.#races.size > 0) this.#checkLater();
    });
    this.#timer.unref();
  }
}

const ownScript = new URL(import.meta.url.endsWith(".ts") ? "../../bin/race-thread.mjs" : "./race-thread.js", import.meta.url);
