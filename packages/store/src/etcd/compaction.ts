/** Compaction as kube-apiserver does it: whichever server is first to note the revision has etcd forget what is older. */
import type { EtcdConnection } from "./etcd-connection.ts";
import { isCompacted } from "./etcd-errors.ts";
import { compactKey } from "./keys.ts";
import type { TxnResponse } from "./protocol.ts";

export class Compaction {
  readonly #etcd: EtcdConnection;
  /** How often it was noted, as far as is known here. */
  #version = 0;

  constructor(etcd: EtcdConnection) {
    this.#etcd = etcd;
  }

  async compact(before: number): Promise<void> {
    const { succeeded, responses } = await this.#etcd.repeatable<TxnResponse>("Txn", {
      compare: [{ target: "VERSION", key: compactKey, version: this.#version }],
      success: [{ requestPut: { key: compactKey, value: Buffer.from(String(before)) } }],
      failure: [{ requestRange: { key: compactKey } }],
    });
    if (!succeeded) {
      // Another server was first; in the next interval this one may be.
      this.#version = responses[0]?.responseRange?.kvs[0]?.version ?? 0;
      return;
    }
    this.#version++;
    try {
      await this.#etcd.repeatable("Compact", { revision: before });
    } catch (error) {
      if (!isCompacted(error)) throw error;
    }
  }
}
