/** Leases: what is written with one goes when nobody keeps it. */
import { GrpcError, type GrpcExchange, grpcCodes } from "@coxswain/grpc";
import { type Clock, type RandomSource, sleep } from "@coxswain/machinery";
import type { EtcdConnection } from "./etcd-connection.ts";
import { etcdMethod } from "./protocol.ts";

/** Numbers of leases are chosen here, so that they are safe integers. */
const idSpace = 2 ** 52;

/** @returns its number */
export async function grantLease(etcd: EtcdConnection, random: RandomSource, ttlSeconds: number): Promise<number> {
  for (;;) {
    const id = 1 + Math.floor(random.next() * idSpace);
    try {
      await etcd.repeatable("LeaseGrant", { TTL: ttlSeconds, ID: id });
      return id;
    } catch (error) {
      // Also after an answer that was lost: that lease ends unused.
      if (!(error instanceof GrpcError) || !error.details.includes("lease already exists")) throw error;
    }
  }
}

export interface KeepAlive {
  readonly etcd: EtcdConnection;
  readonly clock: Clock;
  readonly id: number;
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** Until the signal ends it, or the lease is gone. */
export async function keepLease({ etcd, clock, id, everyMs, signal }: KeepAlive): Promise<void> {
  let stream: GrpcExchange | undefined;
  while (!signal.aborted) {
    try {
      stream ??= await etcd.exchange(etcdMethod("LeaseKeepAlive"), signal);
      stream.send({ ID: id });
      const { value, done } = await stream.responses.next();
      if (done === true) throw new GrpcError(grpcCodes.Unavailable, "the stream has ended");
      if ((value as { readonly TTL: number }).TTL <= 0) return;
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      stream = undefined;
      etcd.leaveMember();
      await sleep(clock, everyMs / 10, signal).catch(() => undefined);
      continue;
    }
    await sleep(clock, everyMs, signal).catch(() => undefined);
  }
}

interface Bucket {
  readonly lease: Promise<number>;
  /** Monotonic milliseconds: from then on it lives too briefly to be given to others. */
  readonly until: number;
  used: number;
}

/** How much longer than asked for an entry may live, and how many share a lease: each that ends is one write of etcd. As kube-apiserver. */
const shareSecondsOf = (ttlSeconds: number): number => Math.min(60, Math.max(1, Math.floor(ttlSeconds / 20)));
const shareMost = 1_000;

/** Leases for entries that end by themselves, shared by those that end at about the same time. */
export class ExpiryLeases {
  readonly #etcd: EtcdConnection;
  readonly #clock: Clock;
  readonly #random: RandomSource;
  readonly #buckets = new Map<number, Bucket>();

  constructor(etcd: EtcdConnection, clock: Clock, random: RandomSource) {
    this.#etcd = etcd;
    this.#clock = clock;
    this.#random = random;
  }

  /** What is written with it is there for at least so long. */
  leaseFor(ttlSeconds: number): Promise<number> {
    const now = this.#clock.monotonic();
    let bucket = this.#buckets.get(ttlSeconds);
    if (bucket === undefined || bucket.until <= now || bucket.used >= shareMost) {
      const lease = grantLease(this.#etcd, this.#random, ttlSeconds + shareSecondsOf(ttlSeconds));
      bucket = { lease, until: now + shareSecondsOf(ttlSeconds) * 1000, used: 0 };
      this.#buckets.set(ttlSeconds, bucket);
      const made = bucket;
      lease.catch(() => {
        if (this.#buckets.get(ttlSeconds) === made) this.#buckets.delete(ttlSeconds);
      });
    }
    bucket.used++;
    return bucket.lease;
  }
}
