/** Write transactions are encoded field by field: the codec that the definition makes says the same of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Revision, Write } from "../storage/store.ts";
import { type Keyspace, keyspaceOf } from "./keys.ts";
import { type Compare, etcdMethod, type RequestOp, type TxnRequest } from "./protocol.ts";
import { type WriteTxn, writeTxnMethod } from "./write-txn.ts";

const txn = etcdMethod("Txn");

/** The same as the objects that etcd's API describes. */
function requestOf({ op, storedOf, server, record, lease }: WriteTxn, keys: Keyspace): TxnRequest {
  const compareTo = (key: string, modified: Revision | "absent"): Compare => ({
    target: "MOD",
    key: keys.toEtcd(key),
    modRevision: modified === "absent" ? 0 : modified,
  });
  const put = (key: string, value: Uint8Array, more = {}): RequestOp => ({
    requestPut: { key: keys.toEtcd(key), value: storedOf(key, value), ...more },
  });
  const remove = (key: string): RequestOp => ({ requestDeleteRange: { key: keys.toEtcd(key) } });
  const { compare = [], also = [] } = op;
  return {
    compare: [
      { target: "CREATE", key: server.key, createRevision: server.created },
      compareTo(op.key, op.expect),
      ...compare.map(({ key, modified }) => compareTo(key, modified)),
      ...also.map(({ key, expect }) => compareTo(key, expect)),
    ],
    success: [
      ...also.map(({ key, value }) => (value === undefined ? remove(key) : put(key, value))),
      op.op === "put" ? put(op.key, op.value, lease === undefined ? {} : { lease }) : remove(op.key),
      { requestPut: { key: server.key, value: Buffer.from(record), ignoreLease: true } },
    ],
  };
}

const key = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 }),
  fc.string().map((name) => `/registry/pods/${name}`),
);
const revision = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map((number) => number as Revision);
const expected = fc.oneof(fc.constant("absent" as const), revision);
const value = fc.uint8Array({ maxLength: 9_000 });
const others = {
  compare: fc.option(fc.array(fc.record({ key, modified: expected }), { maxLength: 3 }), { nil: undefined }),
  also: fc.option(fc.array(fc.oneof(fc.record({ key, value, expect: expected }), fc.record({ key, expect: revision })), { maxLength: 3 }), {
    nil: undefined,
  }),
};
const write = fc.oneof(
  fc.record({ op: fc.constant("put" as const), key, value, expect: expected, ...others }),
  fc.record({ op: fc.constant("delete" as const), key, expect: revision, ...others }),
) as fc.Arbitrary<Write>;

const written = fc.record({
  op: write,
  created: revision,
  record: fc.string({ unit: "grapheme", maxLength: 300 }),
  lease: fc.option(revision, { nil: undefined }),
});

test("a write's transaction has the bytes of the message that it is", () => {
  const storedOf = (of: string, plain: Uint8Array): Uint8Array => (of.length % 2 === 0 ? plain : Buffer.concat([Buffer.from(of), plain]));
  fc.assert(
    fc.property(written, fc.constantFrom("/registry", "/other", "/"), ({ created, ...rest }, prefix) => {
      const keys = keyspaceOf(prefix);
      const request: WriteTxn = { ...rest, storedOf, server: { key: Buffer.from(`${keys.serverPrefix}a`), created } };
      assert.deepEqual(writeTxnMethod(keys).request.frame(request), txn.request.frame(requestOf(request, keys)));
    }),
  );
});

test("an answer is read as what it says, whatever else is in it", () => {
  const { response } = writeTxnMethod(keyspaceOf("/registry"));
  const answer = fc.record({ header: fc.record({ revision }), succeeded: fc.boolean() });
  fc.assert(
    fc.property(answer, fc.array(revision, { maxLength: 3 }), ({ header, succeeded }, puts) => {
      const responses = puts.map((one) => ({ responsePut: { header: { revision: one } } }));
      const bytes = txn.response.encode({ header, succeeded, responses });
      assert.deepEqual(response.decode(bytes), { revision: header.revision, succeeded });
    }),
  );
  assert.deepEqual(response.decode(Buffer.alloc(0)), { revision: 0, succeeded: false });
});
