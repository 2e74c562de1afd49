/**
 * What kube-apiserver stores, as this server stores it: JSON without its last newline, and protobuf as JSON. So the two may share an etcd.
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ `--storage-media-type`
 */
import { messageOf } from "@coxswain/machinery";
import { identityTransformer, TransformError, type ValueTransformer } from "@coxswain/store";
import { encodeObject } from "../storage/stored-object.ts";
import { decodeStored } from "./protobuf.ts";

const newline = 0x0a;
const magic = Buffer.from("k8s\0");

/** Reads what either server has stored, and writes this server's form. `inner` is what values go through besides, such as encryption. */
export function kubeApiserverValues(inner: ValueTransformer = identityTransformer): ValueTransformer {
  return {
    get generation() {
      return inner.generation;
    },
    checkWrite: (key) => inner.checkWrite(key),
    toStorage: (key, value) => inner.toStorage(key, value),
    fromStorage(key, stored) {
      const { value, stale } = inner.fromStorage(key, stored);
      // An update that changes nothing brings protobuf into the form of this server, as the original does.
      if (isProtobuf(value)) return { value: decoded(value), stale: true };
      return { value: value.at(-1) === newline ? value.subarray(0, -1) : value, stale };
    },
    prepare: async (key, stored) => await inner.prepare?.(key, stored),
  };
}

const isProtobuf = (value: Uint8Array): boolean => value.length >= magic.length && magic.every((byte, at) => value[at] === byte);

function decoded(value: Uint8Array): Uint8Array {
  try {
    return encodeObject(decodeStored(value));
  } catch (error) {
    throw new TransformError(messageOf(error), { cause: error });
  }
}
