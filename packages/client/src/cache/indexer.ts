/** Objects by namespace and name, with indexes that are kept as objects come and go. */
import { type KubeObject, type LabelSelector, parseLabelSelector } from "@coxswain/machinery";
import type { ObjectRef } from "../contracts/resource-ref.ts";
import type { Indexes, IndexFunction, Lister, Selection } from "./lister.ts";

/** Stays the same while its object changes, so that an index changes only where its values do. */
interface Entry<T> {
  object: T;
  /** Under which values the entry stands, index by index. */
  values: (readonly string[])[];
}

interface Index<T extends KubeObject> {
  readonly valuesOf: IndexFunction<T>;
  readonly entries: Map<string, Set<Entry<T>>>;
}

export class Indexer<T extends KubeObject> implements Lister<T> {
  readonly #defaultNamespace: string;
  readonly #namespaces = new Map<string, Map<string, Entry<T>>>();
  readonly #indexNames: string[] = [];
  readonly #indexes: Index<T>[] = [];
  #size = 0;

  /** `defaultNamespace` is the namespace that refs without one mean. */
  constructor(defaultNamespace: string) {
    this.#defaultNamespace = defaultNamespace;
  }

  get size(): number {
    return this.#size;
  }

  get({ namespace = this.#defaultNamespace, name }: ObjectRef): T | undefined {
    return this.#namespaces.get(namespace)?.get(name)?.object;
  }

  list({ namespace, labelSelector }: Selection = {}): T[] {
    const selector = selectorOf(labelSelector);
    const found: T[] = [];
    const collect = (entries: ReadonlyMap<string, Entry<T>>) => {
      for (const { object } of entries.values()) if (selector.empty || selector.matches(object.metadata?.labels)) found.push(object);
    };
    if (namespace === undefined) for (const entries of this.#namespaces.values()) collect(entries);
    else collect(this.#namespaces.get(namespace) ?? new Map());
    return found;
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes[this.#indexNames.indexOf(name)];
    if (index === undefined) throw new TypeError(`there is no index "${name}"`);
    return Array.from(index.entries.get(value) ?? [], ({ object }) => object);
  }

  addIndexes(indexes: Indexes<T>): void {
    for (const [name, valuesOf] of Object.entries(indexes)) {
      const at = this.#indexNames.indexOf(name);
      if (at < 0) this.#addIndex(name, valuesOf);
      else if (this.#indexes[at]?.valuesOf !== valuesOf) throw new TypeError(`there is another index "${name}"`);
    }
  }

  #addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const index: Index<T> = { valuesOf, entries: new Map() };
    this.#indexNames.push(name);
    this.#indexes.push(index);
    for (const entries of this.#namespaces.values()) {
      for (const entry of entries.values()) {
        const values = valuesOf(entry.object);
        entry.values = [...entry.values, values];
        enter(index, entry, values);
      }
    }
  }

  /** Gives back what was there. */
  put(object: T): T | undefined {
    const { namespace = "", name = "" } = object.metadata ?? {};
    let entries = this.#namespaces.get(namespace);
    if (entries === undefined) {
      entries = new Map();
      this.#namespaces.set(namespace, entries);
    }
    const entry = entries.get(name);
    if (entry !== undefined) return this.#replace(entry, object);
    const added: Entry<T> = { object, values: this.#indexes.length === 0 ? none : [] };
    entries.set(name, added);
    this.#size++;
    this.#indexes.forEach((index, at) => {
      const values = index.valuesOf(object);
      added.values[at] = values;
      enter(index, added, values);
    });
    return undefined;
  }

  #replace(entry: Entry<T>, object: T): T {
    const previous = entry.object;
    entry.object = object;
    this.#indexes.forEach((index, at) => {
      const before = entry.values[at] ?? [];
      const values = index.valuesOf(object);
      if (before.length === values.length && before.every((value, i) => value === values[i])) return;
      leave(index, entry, before);
      entry.values[at] = values;
      enter(index, entry, values);
    });
    return previous;
  }

  /** Gives back what was there. */
  remove({ namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string }): T | undefined {
    const entries = this.#namespaces.get(namespace);
    const entry = entries?.get(name);
    if (entries === undefined || entry === undefined) return undefined;
    entries.delete(name);
    if (entries.size === 0) this.#namespaces.delete(namespace);
    this.#size--;
    this.#indexes.forEach((index, at) => {
      leave(index, entry, entry.values[at] ?? []);
    });
    return entry.object;
  }
}

/** For all entries while there is no index. Never written: adding an index makes lists of their own. */
const none: (readonly string[])[] = [];

function enter<T extends KubeObject>({ entries }: Index<T>, entry: Entry<T>, values: readonly string[]): void {
  for (const value of values) {
    const there = entries.get(value);
    if (there === undefined) entries.set(value, new Set([entry]));
    else there.add(entry);
  }
}

function leave<T extends KubeObject>({ entries }: Index<T>, entry: Entry<T>, values: readonly string[]): void {
  for (const value of values) {
    const there = entries.get(value);
    if (there?.delete(entry) === true && there.size === 0) entries.delete(value);
  }
}

const everything: Pick<LabelSelector, "empty" | "matches"> = { empty: true, matches: () => true };

const selectorOf = (selector: string | LabelSelector | undefined): Pick<LabelSelector, "empty" | "matches"> =>
  selector === undefined ? everything : typeof selector === "string" ? parseLabelSelector(selector) : selector;
