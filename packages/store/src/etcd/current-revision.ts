/** The newest revision of etcd, asked for once for all who want it at the same moment. */
import type { EtcdConnection } from "./etcd-connection.ts";
import type { Keyspace } from "./keys.ts";

export const newestRevision = async (etcd: EtcdConnection, { nothing }: Pick<Keyspace, "nothing">): Promise<number> =>
  (await etcd.range({ key: nothing, countOnly: true })).header.revision;

export class CurrentRevision {
  readonly #etcd: EtcdConnection;
  readonly #keys: Keyspace;
  #underWay: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(etcd: EtcdConnection, keys: Keyspace) {
    this.#etcd = etcd;
    this.#keys = keys;
  }

  /** At least that of each write which was acknowledged before the call. Who comes while a question is on its way shares the next. */
  read(): Promise<number> {
    if (this.#underWay === undefined) return this.#ask();
    this.#next ??= this.#underWay.then(
      () => this.#ask(),
      () => this.#ask(),
    );
    return this.#next;
  }

  #ask(): Promise<number> {
    this.#next = undefined;
    const asked = newestRevision(this.#etcd, this.#keys);
    const over = (): void => {
      if (this.#underWay === asked) this.#underWay = undefined;
    };
    this.#underWay = asked;
    asked.then(over, over);
    return asked;
  }
}
