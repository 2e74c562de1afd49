import type { KubeObject } from "@coxswain/machinery";

/**
 * What became of one object in a cache. `previous` and `object` of an update are one object, of one uid: what was
 * replaced by another of the same name is reported as deleted and added. Objects are the cache's own: never change them.
 */
export type Change<T extends KubeObject = KubeObject> =
  | {
      readonly type: "added";
      readonly object: T;
      /** It was there before the subscriber or the informer began. */
      readonly initial: boolean;
    }
  | {
      readonly type: "updated";
      readonly object: T;
      readonly previous: T;
      /** Nothing changed: it is reported again because the informer has `resyncMs`; `previous` is `object`. */
      readonly resync: boolean;
    }
  | {
      readonly type: "deleted";
      readonly object: T;
      /** Its deletion was not observed, and `object` need not be its last state: a later list lacked it, or another has its name. */
      readonly unseen: boolean;
    };

/** A function that is called with each change of a cache, in order. */
export type Subscriber<T extends KubeObject = KubeObject> = (change: Change<T>) => void;
