/** The line from a copy of a store to the thread that has it: writes, which go together, and what else only that thread can do. */
import type { MessagePort } from "node:worker_threads";
import { OutcomeUnknownError, type Replacement, type Write, type WriteNote, type WriteResult } from "../storage/store.ts";
import type { FromReplica, ReadableOptions, ReadValue, ReplicaCall, ReplicaCalls, SentReplacement, SentWrite, Span } from "./protocol.ts";

/** A write without an answer. */
export interface PendingWrite {
  readonly op: Write;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: Error) => void;
}

export class ReplicaLine {
  readonly port: MessagePort;
  readonly #writes = new Map<number, PendingWrite>();
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;
  /** What goes at the end of the turn: each message costs more than what is in it. */
  #outgoing: SentWrite[] = [];
  #parts: Uint8Array[] = [];
  #size = 0;
  #onSettled: (() => void) | undefined;

  constructor(port: MessagePort) {
    this.port = port;
    port.on("close", () => this.#lose());
  }

  write(op: Write, note: WriteNote | undefined): Promise<WriteResult> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#writes.set(id, { op, resolve, reject });
      const { key, expect, compare, also } = op;
      const value = op.op === "put" ? this.#put(op.value) : undefined;
      const ttlSeconds = op.op === "put" ? op.ttlSeconds : undefined;
      const sent: SentWrite = { id, key, value, expect, compare, also: also?.map((one) => this.#replacement(one)), ttlSeconds, note };
      if (this.#outgoing.push(sent) === 1) setImmediate(() => this.#flush());
    });
  }

  /** One of the writes that wait for their answer. */
  pending(id: number): PendingWrite | undefined {
    return this.#writes.get(id);
  }

  /** It has its answer. */
  settle(id: number): PendingWrite | undefined {
    const write = this.#writes.get(id);
    this.#writes.delete(id);
    if (this.#writes.size === 0) this.#onSettled?.();
    return write;
  }

  call<M extends keyof ReplicaCalls>(method: M, ...args: Parameters<ReplicaCalls[M]>): Promise<ReturnType<ReplicaCalls[M]>> {
    const id = ++this.#last;
    const result = Promise.withResolvers<unknown>();
    this.#calls.set(id, result);
    this.#say({ kind: "call", id, call: { method, args } as ReplicaCall });
    return result.promise as Promise<ReturnType<ReplicaCalls[M]>>;
  }

  readable(prefix: string, opts: ReadableOptions): Promise<readonly ReadValue[]> {
    return this.call("readable", prefix, opts);
  }

  answer(id: number, value: unknown): void {
    this.#calls.get(id)?.resolve(value);
    this.#calls.delete(id);
  }

  fail(id: number, error: Error): void {
    this.#calls.get(id)?.reject(error);
    this.#calls.delete(id);
    this.settle(id)?.reject(error);
  }

  /** Resolves once all writes have their answers. */
  async settled(): Promise<void> {
    if (this.#writes.size > 0) await new Promise<void>((resolve) => (this.#onSettled = resolve));
  }

  #replacement({ key, value, expect }: Replacement): SentReplacement {
    return { key, value: value === undefined ? undefined : this.#put(value), expect };
  }

  #put(value: Uint8Array): Span {
    const start = this.#size;
    this.#size += value.byteLength;
    this.#parts.push(value);
    return [start, this.#size];
  }

  #flush(): void {
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.byteLength;
    }
    const message: FromReplica = { kind: "writes", writes: this.#outgoing, bytes };
    this.#outgoing = [];
    this.#parts = [];
    this.#size = 0;
    this.port.postMessage(message, [bytes.buffer]);
  }

  #say(message: FromReplica): void {
    this.port.postMessage(message);
  }

  /** Nobody answers any more. */
  #lose(): void {
    const error = new OutcomeUnknownError("it is not known whether the write took effect: the thread that has the store has ended");
    for (const [id] of [...this.#calls]) this.fail(id, error);
    for (const [id] of [...this.#writes]) this.settle(id)?.reject(error);
  }
}
