/** Buckets as S3 keeps them, without its protocol: signatures take real time, for which virtual time cannot wait. */
import { type Clock, sleep } from "@coxswain/client";
import { type S3, S3Error, type Tags } from "../../../examples/support/s3.ts";
import type { Process } from "./fault-choice.ts";

export interface CloudBucket {
  tags: Tags;
  readonly keys: Set<string>;
}

/** A request takes that long, so that all else comes to rest before; milliseconds. */
const requestMs = 1;

export class Cloud {
  readonly buckets = new Map<string, CloudBucket>();
  /** Who changed what, in order. */
  readonly changes: { readonly by: Process | undefined; readonly what: string }[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As a process reaches it, or a client without faults. */
  s3(by: Process | undefined, signal?: AbortSignal): S3 {
    const ask = async <T>(effect: () => T): Promise<T> => {
      await sleep(this.#clock, requestMs, signal);
      return by === undefined ? effect() : await by.ask(effect);
    };
    const change = (what: string, effect: () => unknown): Promise<void> =>
      ask(() => {
        effect();
        this.changes.push({ by, what });
      });
    const existing = (name: string): CloudBucket => {
      const bucket = this.buckets.get(name);
      if (bucket === undefined) throw new S3Error("NoSuchBucket", "The specified bucket does not exist");
      return bucket;
    };
    return {
      until: (end) => this.s3(by, end),
      tagsOf: (name) => ask(() => this.buckets.get(name)?.tags),
      setTags: (name, tags) =>
        change(`tag ${name}`, () => {
          existing(name).tags = tags;
        }),
      createBucket: (name) =>
        change(`create ${name}`, () => {
          if (this.buckets.has(name)) throw new S3Error("BucketAlreadyOwnedByYou", "You own it already.");
          this.buckets.set(name, { tags: {}, keys: new Set() });
        }),
      deleteBucket: (name) =>
        change(`delete ${name}`, () => {
          if (existing(name).keys.size > 0) throw new S3Error("BucketNotEmpty", "The bucket you tried to delete is not empty");
          this.buckets.delete(name);
        }),
      putObject: (name, key) => change(`put ${name}/${key}`, () => existing(name).keys.add(key)),
      deleteObject: (name, key) => change(`remove ${name}/${key}`, () => existing(name).keys.delete(key)),
    };
  }

  tagsOf(name: string): Tags | undefined {
    return this.buckets.get(name)?.tags;
  }
}
