/** A write of the store as a transaction of etcd. */
import type { Revision, Write } from "../storage/store.ts";
import type { Keyspace } from "./keys.ts";
import type { Compare, RequestOp, TxnRequest } from "./protocol.ts";

export interface TxnParts {
  readonly keys: Keyspace;
  /** Values as they are stored. */
  readonly storedOf: (key: string, value: Uint8Array) => Uint8Array;
  readonly server: { readonly key: Buffer; readonly created: number };
  readonly record: Buffer;
  /** Of what ends by itself. */
  readonly lease: number | undefined;
}

/** Takes place when each key is as the write expects it, and the server's own key is the one that it knows. */
export function txnOf(op: Write, { keys, storedOf, server, record, lease }: TxnParts): TxnRequest {
  const comparedTo = (key: string, modified: Revision | "absent"): Compare => ({
    target: "MOD",
    key: keys.toEtcd(key),
    modRevision: modified === "absent" ? 0 : modified,
  });
  const put = (key: string, value: Uint8Array, options: { readonly lease?: number } = {}): RequestOp => ({
    requestPut: { key: keys.toEtcd(key), value: storedOf(key, value), ...options },
  });
  const remove = (key: string): RequestOp => ({ requestDeleteRange: { key: keys.toEtcd(key) } });
  const { compare = [], also = [] } = op;
  return {
    compare: [
      { target: "CREATE", key: server.key, createRevision: server.created },
      comparedTo(op.key, op.expect),
      ...compare.map(({ key, modified }) => comparedTo(key, modified)),
      ...also.map(({ key, expect }) => comparedTo(key, expect)),
    ],
    success: [
      ...also.map(({ key, value }) => (value === undefined ? remove(key) : put(key, value))),
      op.op === "put" ? put(op.key, op.value, lease === undefined ? {} : { lease }) : remove(op.key),
      { requestPut: { key: server.key, value: record, ignoreLease: true } },
    ],
  };
}
