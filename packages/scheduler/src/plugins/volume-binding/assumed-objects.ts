import type { KubeObject } from "@coxswain/machinery";

interface Assumption<T> {
  readonly object: T;
  /** Of the object that it was made of. */
  readonly basedOn: string | undefined;
}

/**
 * What objects will be like once the writes that were decided on have come about. An assumption holds until the cache has
 * another version than the one it was made of: then the server's word counts again.
 */
export class AssumedObjects<T extends KubeObject> {
  readonly #assumed = new Map<string, Assumption<T>>();

  assume(object: T): void {
    this.#assumed.set(keyOf(object), { object, basedOn: object.metadata?.resourceVersion });
  }

  /** The server's word counts again. */
  forget(object: T): void {
    this.#assumed.delete(keyOf(object));
  }

  /** The object as it will be; itself where nothing is assumed of it. */
  of(current: T): T {
    if (this.#assumed.size === 0) return current;
    const assumption = this.#assumed.get(keyOf(current));
    if (assumption === undefined) return current;
    if (assumption.basedOn === current.metadata?.resourceVersion) return assumption.object;
    this.forget(current);
    return current;
  }

  get size(): number {
    return this.#assumed.size;
  }
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata?.namespace ?? ""}/${metadata?.name}`;
