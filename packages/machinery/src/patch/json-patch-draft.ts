/** A document under change: containers are copied when they are first written, so what was given stays as it was. */
import { getOwn, isObject, type JsonObject, setOwn } from "../values/json-object.ts";

type Container = JsonObject | unknown[];

/**
 * Items of lists that one patch may push along, each time that one is inserted or removed before them: with as many operations
 * as are allowed, in a list of ten thousand. Without a bound, patches of megabytes would take seconds.
 */
const maxShifted = 100_000_000;

export class Draft {
  root: unknown;
  /** The containers made here, which nothing else refers to yet. */
  readonly #owned = new Set<Container>();
  readonly #failure: () => Error;
  #shifted = 0;

  /** `failure` makes what is thrown when a path leads nowhere, or when too many items are pushed along. */
  constructor(root: unknown, failure: () => Error) {
    this.root = root;
    this.#failure = failure;
  }

  /** The value at a JSON pointer; undefined when an object lacks the last key. */
  get(path: string): unknown {
    if (path === "") return this.root;
    const { parents, key } = this.#split(path);
    let value = this.root;
    for (const parent of parents) value = this.#child(value, parent);
    return this.#child(value, key);
  }

  add(path: string, value: unknown): void {
    const [container, key] = this.#open(path);
    if (!Array.isArray(container)) setOwn(container, key, value);
    else {
      const index = key === "-" ? container.length : this.#index(key, container.length + 1);
      this.#shift(container.length - index);
      container.splice(index, 0, value);
    }
  }

  /** Puts the value in the place of an item, or under a key whether or not it is there. */
  replace(path: string, value: unknown): void {
    if (path === "") this.root = this.#container(value);
    else {
      const [container, key] = this.#open(path);
      if (Array.isArray(container)) container[this.#index(key, container.length)] = value;
      else setOwn(container, key, value);
    }
  }

  /** Returns what was removed. */
  remove(path: string): unknown {
    const [container, key] = this.#open(path);
    if (Array.isArray(container)) {
      const index = this.#index(key, container.length);
      this.#shift(container.length - index - 1);
      return container.splice(index, 1)[0];
    }
    if (!Object.hasOwn(container, key)) throw this.#failure();
    const value = container[key];
    delete container[key];
    return value;
  }

  /** The container that the path's last key belongs to, ready to be written, and that key. */
  #open(path: string): [Container, string] {
    const { parents, key } = this.#split(path);
    let container = this.#own(this.root);
    this.root = container;
    for (const parent of parents) {
      const child = this.#own(this.#child(container, parent));
      if (Array.isArray(container)) container[this.#index(parent, container.length)] = child;
      else setOwn(container, parent, child);
      container = child;
    }
    return [container, key];
  }

  #shift(count: number): void {
    this.#shifted += count;
    if (this.#shifted > maxShifted) throw this.#failure();
  }

  #own(value: unknown): Container {
    const container = this.#container(value);
    if (this.#owned.has(container)) return container;
    const own = Array.isArray(container) ? [...container] : { ...container };
    this.#owned.add(own);
    return own;
  }

  #container(value: unknown): Container {
    if (Array.isArray(value) || isObject(value)) return value;
    throw this.#failure();
  }

  #child(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return value[this.#index(key, value.length)];
    return getOwn(this.#container(value) as JsonObject, key);
  }

  /** A place below `count`, as Go reads decimal numbers: `01` and `+1` are 1; -1 is the last one. */
  #index(key: string, count: number): number {
    const index = /^[+-]?[0-9]{1,15}$/.test(key) ? Number(key) : Number.NaN;
    const place = index < 0 ? index + count : index;
    if (place >= 0 && place < count) return place;
    throw this.#failure();
  }

  /** What stands before the first slash is ignored, as Kubernetes does. */
  #split(path: string): { parents: readonly string[]; key: string } {
    const [, ...parents] = path.split("/").map((part) => part.replace(/~[01]/g, (escaped) => (escaped === "~1" ? "/" : "~")));
    const key = parents.pop();
    if (key === undefined) throw this.#failure();
    return { parents, key };
  }
}
