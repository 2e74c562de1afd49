/**
 * What befalls a whole process rather than one of its requests: it dies in the middle, or what it gave up arrives after
 * all. And what befalls its requests to a cloud, which no fault script of the API server sees.
 */
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "@coxswain/client";
import { type Clock, sleep } from "@coxswain/machinery";
import type { Fault } from "coxswain/testing";
import { S3Error } from "../../../examples/support/s3.ts";

/** How late a request arrives that its sender took for lost; milliseconds. */
export const lateMs = 60_000;
/** Long enough to lose a lease. */
const cutOffMs = 40_000;

const cloudFaults = ["refuse", "lose-request", "lose-answer", "crash-before", "crash-after"] as const;
type CloudFault = (typeof cloudFaults)[number] | "answer-slowly";

/** By the names that reports have for them; each happens to the process whose request it hits. */
export class FaultChoice {
  /** Whose request is being passed on: faults are looked up before anything is awaited. */
  #sender: Process | undefined;
  #usurp: () => Promise<unknown> = async () => undefined;
  #armed: { readonly name: string; readonly fault: CloudFault; skip: number } | undefined;

  readonly ofProcesses: Readonly<Record<string, Fault>> = {
    "crash-before": this.#overtake((process) => process.die()),
    "crash-after": this.#overtake((process) => process.dieWithNextAnswer()),
    "arrive-late": this.#overtake(() => {
      throw new TakenForLost();
    }),
  };

  /** Of candidates: the server is out of reach while the cloud is not, or another client takes the lease. */
  readonly ofLeaders: Readonly<Record<string, Fault>> = {
    "cut-off": this.#overtake((process) => process.cutOff()),
    "cut-off-in-slow-cloud": this.#overtake((process) => {
      this.#arm(process, "answer-slowly", 0);
      process.cutOff({ after: 1 });
    }),
    usurp: { kind: "overtake", by: () => this.#usurp() },
  };

  /** The request after this step, or the one after that: between two steps there may be several. */
  readonly ofCloud: Readonly<Record<string, Fault>> = Object.fromEntries(
    cloudFaults.flatMap((fault) =>
      [1, 2].map((nth) => [`cloud-${fault}-${nth}`, this.#overtake((process) => this.#arm(process, fault, nth - 1))]),
    ),
  );

  /** Forgets what has not happened in the last run. */
  begin(usurp: () => Promise<unknown> = async () => undefined): void {
    this.#armed = undefined;
    this.#usurp = usurp;
  }

  sendAs<T>(process: Process, send: () => T): T {
    this.#sender = process;
    try {
      return send();
    } finally {
      this.#sender = undefined;
    }
  }

  cloudFault({ name }: Process): CloudFault | undefined {
    const armed = this.#armed;
    if (armed?.name !== name || armed.skip-- > 0) return undefined;
    this.#armed = undefined;
    return armed.fault;
  }

  #arm({ name }: Process, fault: CloudFault, skip: number): void {
    this.#armed = { name, fault, skip };
  }

  #overtake(happen: (process: Process) => void): Fault {
    return {
      kind: "overtake",
      by: async () => {
        if (this.#sender === undefined) throw new TypeError("only a process can be the target");
        happen(this.#sender);
      },
    };
  }
}

class TakenForLost extends Error {}

/** Of a process that is dead nothing leaves any more, and nothing reaches it. */
export class Process {
  readonly name: string;
  readonly #faultChoice: FaultChoice;
  readonly #clock: Clock;
  readonly #death = new AbortController();
  #doomed = false;
  #cutOff: { spared: number; readonly until: number } | undefined;

  constructor(name: string, faultChoice: FaultChoice, clock: Clock) {
    this.name = name;
    this.#faultChoice = faultChoice;
    this.#clock = clock;
  }

  get dead(): AbortSignal {
    return this.#death.signal;
  }

  die(): void {
    this.#death.abort(new ConnectionError("the process is dead", { unsent: true }));
    this.#death.signal.throwIfAborted();
  }

  dieWithNextAnswer(): void {
    this.#doomed = true;
  }

  /** From the request after `after` others on, this one not counted. */
  cutOff({ after: spared = 0 } = {}): void {
    this.#cutOff = { spared, until: this.#clock.now() + cutOffMs };
    if (spared === 0) this.#reach();
  }

  transport(inner: Transport): Transport {
    return { send: (request) => this.#send(inner, request), [Symbol.asyncDispose]: async () => undefined };
  }

  /** @throws ConnectionError unless the server can be reached */
  #reach(): void {
    const cut = this.#cutOff;
    if (cut === undefined || this.#clock.now() > cut.until || cut.spared-- > 0) return;
    throw new ConnectionError("the server is out of reach", { unsent: true });
  }

  async #send(inner: Transport, request: TransportRequest): Promise<TransportResponse> {
    this.dead.throwIfAborted();
    this.#reach();
    const signal = request.signal === undefined ? this.dead : AbortSignal.any([request.signal, this.dead]);
    try {
      const answer = await this.#faultChoice.sendAs(this, () => inner.send({ ...request, signal }));
      if (this.#doomed) this.die();
      this.dead.throwIfAborted();
      return answer;
    } catch (error) {
      if (!(error instanceof TakenForLost)) throw error;
      const { signal: _, ...late } = request;
      if (request.method !== "GET") this.#clock.schedule(lateMs, () => void inner.send(late).catch(() => undefined));
      throw new ConnectionError("the connection was lost");
    }
  }

  /** Has the cloud do something. */
  async ask<T>(effect: () => T): Promise<T> {
    this.dead.throwIfAborted();
    const fault = this.#faultChoice.cloudFault(this);
    if (fault === "refuse") throw new S3Error("SlowDown", "Please reduce your request rate.");
    if (fault === "lose-request") throw new TypeError("fetch failed");
    if (fault === "crash-before") this.die();
    const answer = effect();
    if (fault === "answer-slowly") await sleep(this.#clock, cutOffMs);
    if (fault === "crash-after") this.die();
    this.dead.throwIfAborted();
    if (fault === "lose-answer") throw new TypeError("fetch failed");
    return answer;
  }
}
