/** What a cluster remembers of its run, for the case that it is recorded: its requests, and the faults of its clients. */
import type { Transport, TransportRequest, TransportResponse } from "@coxswain/client";
import { type Clock, type ConflictRecord, parseJson } from "@coxswain/machinery";
import type { FaultScript } from "../faults/fault-script.ts";

/** A request, as it was sent, with what became of it. */
export interface LoggedRequest {
  /** When it was answered; milliseconds since the epoch. */
  readonly at: number;
  readonly user: string;
  readonly request: Pick<TransportRequest, "method" | "path">;
  readonly status: number | undefined;
  /** Of a refusal. */
  readonly answer: TransportResponse | undefined;
  readonly error: unknown;
}

/** Of a cluster's requests the last so many. */
const maxRequests = 4_096;

export class RunLog {
  readonly scripts = new Set<FaultScript>();
  readonly #clock: Pick<Clock, "now">;
  readonly #requests: LoggedRequest[] = [];
  #next = 0;
  #hasConflicts = false;
  #conflicts: readonly ConflictRecord[] = [];

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Oldest first. */
  get requests(): readonly LoggedRequest[] {
    return [...this.#requests.slice(this.#next), ...this.#requests.slice(0, this.#next)];
  }

  /** Those that the server has explained, oldest first, as of when they were asked for last. */
  get conflicts(): readonly ConflictRecord[] {
    return this.#conflicts;
  }

  /** The transport, whose answers are remembered. They come when they would come without. */
  logged(inner: Transport, user: string): Transport {
    return {
      ...(inner.open === undefined ? {} : { open: inner.open.bind(inner) }),
      send: (request) => {
        const sent = inner.send(request);
        sent.then(
          (answer) =>
            this.#add({ user, request, status: answer.status, answer: answer.status < 400 ? undefined : answer, error: undefined }),
          (error: unknown) => this.#add({ user, request, status: undefined, answer: undefined, error }),
        );
        return sent;
      },
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    };
  }

  /** Asks the server for its conflicts while it is there, if any request met one. */
  async askConflicts(transport: Transport): Promise<void> {
    if (!this.#hasConflicts) return;
    const answer = await transport.send({ method: "GET", path: "/coxswain/v1/conflicts", headers: {} });
    const { items } = parseJson(await answer.bytes()) as { readonly items?: readonly ConflictRecord[] };
    this.#conflicts = items?.toReversed() ?? [];
  }

  #add({ request: { method, path }, ...rest }: Omit<LoggedRequest, "at">): void {
    this.#requests[this.#next] = { at: this.#clock.now(), request: { method, path }, ...rest };
    this.#next = (this.#next + 1) % maxRequests;
    if (rest.status === 409) this.#hasConflicts = true;
  }
}
