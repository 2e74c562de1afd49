/** A write of the store as a transaction of etcd, and what etcd says of it. */
import { messageFrame, type UnaryMethod } from "@coxswain/grpc";
import { ProtobufReader, ProtobufWriter } from "@coxswain/machinery";
import type { Revision, Write } from "../storage/store.ts";
import type { Keyspace } from "./keys.ts";
import { enumNumber, etcdMethod, fieldTag } from "./protocol.ts";

export interface WriteTxn {
  readonly op: Write;
  /** Values as they are stored. */
  readonly storedOf: (key: string, value: Uint8Array) => Uint8Array;
  readonly server: { readonly key: Buffer; readonly created: number };
  /** What the server's key is to hold. */
  readonly record: string;
  /** Of what ends by itself. */
  readonly lease: number | undefined;
}

export interface WriteTxnResult {
  readonly revision: Revision;
  readonly succeeded: boolean;
}

/**
 * Takes place when each key is as the write expects it, and the server's own key is the one that it knows. Each write has one: it is written
 * without objects for its parts, and two numbers are read of the answer.
 */
export function writeTxnMethod(keys: Keyspace): UnaryMethod<WriteTxn, WriteTxnResult> {
  const writer = new TxnWriter(keys);
  return { path: etcdMethod("Txn").path, request: { frame: (txn) => writer.frame(txn) }, response: { decode: resultReader() } };
}

/** Fields go from the last to the first: see ProtobufWriter. */
class TxnWriter {
  readonly #keys: Keyspace;
  readonly #writer = new ProtobufWriter(4096);
  readonly #tags = {
    compare: fieldTag("TxnRequest", "compare"),
    success: fieldTag("TxnRequest", "success"),
    put: { op: fieldTag("RequestOp", "requestPut"), key: fieldTag("PutRequest", "key"), value: fieldTag("PutRequest", "value") },
    lease: fieldTag("PutRequest", "lease"),
    ignoreLease: fieldTag("PutRequest", "ignoreLease"),
    remove: { op: fieldTag("RequestOp", "requestDeleteRange"), key: fieldTag("DeleteRangeRequest", "key") },
    target: fieldTag("Compare", "target"),
    comparedKey: fieldTag("Compare", "key"),
  };
  readonly #modified = { target: enumNumber("Compare", "target", "MOD"), revision: fieldTag("Compare", "modRevision") };
  readonly #created = { target: enumNumber("Compare", "target", "CREATE"), revision: fieldTag("Compare", "createRevision") };

  constructor(keys: Keyspace) {
    this.#keys = keys;
  }

  frame({ op, storedOf, server, record, lease = 0 }: WriteTxn): Buffer {
    this.#writer.restart();
    this.#put(server.key, { value: record, keepsLease: true });
    if (op.op === "put") this.#put(op.key, { value: storedOf(op.key, op.value), lease });
    else this.#remove(op.key);
    const also = op.also?.toReversed() ?? none;
    for (const { key, value } of also) {
      if (value === undefined) this.#remove(key);
      else this.#put(key, { value: storedOf(key, value) });
    }
    for (const { key, expect } of also) this.#compareModified(key, expect);
    for (const { key, modified } of op.compare?.toReversed() ?? none) this.#compareModified(key, modified);
    this.#compareModified(op.key, op.expect);
    this.#compare(server.key, server.created, this.#created);
    return messageFrame(this.#writer.finish());
  }

  #put(key: string | Buffer, { value, lease = 0, keepsLease = false }: Put): void {
    const start = this.#writer.mark;
    if (keepsLease) this.#number(this.#tags.ignoreLease, 1);
    if (lease > 0) this.#number(this.#tags.lease, lease);
    if (value.length > 0) this.#bytes(this.#tags.put.value, value);
    this.#key(this.#tags.put.key, key);
    this.#operation(this.#tags.put.op, start);
  }

  #remove(key: string): void {
    const start = this.#writer.mark;
    this.#key(this.#tags.remove.key, key);
    this.#operation(this.#tags.remove.op, start);
  }

  #operation(op: number, start: number): void {
    this.#writer.lengthSince(start);
    this.#writer.varint(op);
    this.#writer.lengthSince(start);
    this.#writer.varint(this.#tags.success);
  }

  #compareModified(key: string, modified: Revision | "absent"): void {
    this.#compare(key, modified === "absent" ? 0 : modified, this.#modified);
  }

  #compare(key: string | Buffer, revision: number, by: { readonly target: number; readonly revision: number }): void {
    const start = this.#writer.mark;
    if (revision > 0) this.#number(by.revision, revision);
    this.#key(this.#tags.comparedKey, key);
    this.#number(this.#tags.target, by.target);
    this.#writer.lengthSince(start);
    this.#writer.varint(this.#tags.compare);
  }

  /** A text is a key of the store, bytes one of etcd. */
  #key(tag: number, key: string | Buffer): void {
    this.#bytes(tag, typeof key === "string" ? this.#keys.nameInEtcd(key) : key);
  }

  #bytes(tag: number, value: string | Uint8Array): void {
    if (typeof value === "string") this.#writer.string(value);
    else this.#writer.bytes(value);
    this.#writer.varint(tag);
  }

  #number(tag: number, value: number): void {
    this.#writer.varint(value);
    this.#writer.varint(tag);
  }
}

interface Put {
  readonly value: string | Uint8Array;
  readonly lease?: number;
  readonly keepsLease?: boolean;
}

const none: readonly never[] = [];

function resultReader(): (bytes: Uint8Array) => WriteTxnResult {
  const header = fieldTag("TxnResponse", "header");
  const succeededTag = fieldTag("TxnResponse", "succeeded");
  const revisionTag = fieldTag("ResponseHeader", "revision");
  return (bytes) => {
    const reader = new ProtobufReader(bytes);
    let revision = 0;
    let succeeded = false;
    const readHeader = (): void => {
      const tag = reader.tag();
      if (tag === revisionTag) revision = Number(reader.int64());
      else reader.skip(tag & 7);
    };
    while (!reader.done) {
      const tag = reader.tag();
      if (tag === header) reader.message(readHeader);
      else if (tag === succeededTag) succeeded = reader.boolean();
      else reader.skip(tag & 7);
    }
    return { revision: revision as Revision, succeeded };
  };
}
