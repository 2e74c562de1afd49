/** What is where in etcd. */
import { keyRootOf, defaultKeyRoot as own } from "../storage/key-root.ts";

/**
 * A store's keys, `/registry/…` as Kubernetes has them, are etcd's own; with another `--etcd-prefix` that stands in the place of
 * `/registry`. Beside them, where no other program looks, each server has a key of its own: `/registry-coxswain/servers/NAME`. One range
 * covers both, so that a watch of it brings a write and the note of its writer together.
 */
export interface Keyspace {
  /** What `--etcd-prefix` comes to. */
  readonly root: string;
  /** From here, to before `end`, everything is watched. */
  readonly start: Buffer;
  readonly end: Buffer;
  /** Where objects begin; what is listed. */
  readonly objects: Buffer;
  readonly serverPrefix: string;
  /** Is there while a state is being copied to etcd, and after that was cut off. */
  readonly incomplete: Buffer;
  /** Is never there: asked for, it brings etcd's revision, and says whether another is still kept. Whoever may read the rest may ask for it. */
  readonly nothing: Buffer;
  toEtcd(key: string): Buffer;
  /** The same as text. */
  nameInEtcd(key: string): string;
  /** Undefined for what is none of the store's. */
  fromEtcd(key: Buffer): string | undefined;
}

/** @param prefix as `--etcd-prefix` */
export function keyspaceOf(prefix: string): Keyspace {
  const root = keyRootOf(prefix);
  const objects = `${root}/`;
  const nameInEtcd = (key: string): string => (root === own || !key.startsWith(`${own}/`) ? key : root + key.slice(own.length));
  return {
    root,
    start: Buffer.from(`${root}-coxswain/`),
    // The first key behind all that begin with `/registry/`.
    end: Buffer.from(`${root}0`),
    objects: Buffer.from(objects),
    serverPrefix: `${root}-coxswain/servers/`,
    incomplete: Buffer.from(`${root}-coxswain/incomplete`),
    nothing: Buffer.from(`${root}-coxswain/nothing`),
    toEtcd: (key) => Buffer.from(nameInEtcd(key)),
    nameInEtcd,
    fromEtcd(key) {
      const text = key.toString();
      if (!text.startsWith(objects)) return undefined;
      return root === own ? text : own + text.slice(root.length);
    },
  };
}

/** Kubernetes' servers agree by it which of them compacts. */
export const compactKey = Buffer.from("compact_rev_key");
