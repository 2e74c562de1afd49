/** Owners and dependents, as far as they have been seen, and what each change gives reason to attempt. */
import type { OwnerReference } from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import { isElsewhere, type Node, refersTo } from "./node.ts";

export interface Consequences {
  /** Uids of objects to look at. */
  readonly check: ReadonlySet<string>;
  /** References to an owner in another namespace, where none is to be looked for. */
  readonly misplaced: readonly Misplaced[];
}

export interface Misplaced {
  readonly dependent: Node;
  readonly reference: OwnerReference;
}

const none: Consequences = { check: new Set(), misplaced: [] };

export class DependencyGraph {
  readonly #nodes = new Map<string, Node>();
  /** By the uid of the owner, which need not have been seen. */
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  dependents(uid: string): readonly Node[] {
    return Array.from(this.#dependents.get(uid) ?? [], (dependent) => this.#nodes.get(dependent)).filter((node) => node !== undefined);
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  /** Those that keep an owner from going while it is deleted in the foreground. */
  blocking(uid: string): readonly Node[] {
    return this.dependents(uid).filter(({ owners }) => owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true));
  }

  /** Whether this reference is to an owner that has been seen and is not on its way out in the foreground. */
  isSolid(reference: OwnerReference, namespace: string): boolean {
    const owner = this.#nodes.get(reference.uid);
    return owner !== undefined && refersTo(reference, namespace, owner) && owner.deletionState !== "foreground";
  }

  /** An object has appeared or changed. */
  observe(node: Node): Consequences {
    const before = this.#nodes.get(node.uid);
    this.#nodes.set(node.uid, node);
    const sameOwners = before !== undefined && deepEqual(before.owners, node.owners);
    if (sameOwners && before.deletionState === node.deletionState) return none;
    const check = new Set<string>();
    const misplaced: Misplaced[] = [];
    if (before === undefined) this.#appeared(node, check, misplaced);
    if (!sameOwners) this.#ownersChanged(node, before?.owners ?? [], check, misplaced);
    if (node.deletionState !== before?.deletionState && (node.deletionState === "foreground" || node.deletionState === "orphan")) {
      check.add(node.uid);
      if (node.deletionState === "foreground") for (const dependent of this.#dependents.get(node.uid) ?? []) check.add(dependent);
    }
    return { check, misplaced };
  }

  /** An object is deleted, or is no longer watched. */
  remove(uid: string): Consequences {
    const node = this.#nodes.get(uid);
    if (node === undefined) return none;
    this.#nodes.delete(uid);
    const check = new Set(this.#dependents.get(uid));
    for (const owner of node.owners) {
      this.#unlink(owner.uid, uid);
      if (this.#nodes.get(owner.uid)?.deletionState === "foreground") check.add(owner.uid);
    }
    return { check, misplaced: [] };
  }

  /** All of some resource. */
  nodesOf(matches: (node: Node) => boolean): readonly Node[] {
    return [...this.#nodes.values()].filter(matches);
  }

  /** What refers to it was there before: some of it may mean something else. */
  #appeared(node: Node, check: Set<string>, misplaced: Misplaced[]): void {
    for (const dependent of this.dependents(node.uid)) {
      const wrong = dependent.owners.filter((owner) => owner.uid === node.uid && !refersTo(owner, dependent.namespace, node));
      const [reference] = wrong;
      if (reference === undefined) continue;
      check.add(dependent.uid);
      if (isElsewhere(node, dependent.namespace)) misplaced.push({ dependent, reference });
    }
  }

  #ownersChanged(node: Node, before: readonly OwnerReference[], check: Set<string>, misplaced: Misplaced[]): void {
    for (const owner of before) {
      const now = node.owners.find(({ uid }) => uid === owner.uid);
      if (now === undefined) this.#unlink(owner.uid, node.uid);
      // It may be the last that has held its owner.
      if (owner.blockOwnerDeletion === true && now?.blockOwnerDeletion !== true && this.#nodes.has(owner.uid)) check.add(owner.uid);
    }
    for (const reference of node.owners) {
      if (before.some((owner) => deepEqual(owner, reference))) continue;
      this.#link(reference.uid, node.uid);
      if (!this.isSolid(reference, node.namespace)) check.add(node.uid);
      const owner = this.#nodes.get(reference.uid);
      if (owner !== undefined && isElsewhere(owner, node.namespace)) misplaced.push({ dependent: node, reference });
    }
  }

  #link(owner: string, dependent: string): void {
    const known = this.#dependents.get(owner);
    if (known === undefined) this.#dependents.set(owner, new Set([dependent]));
    else known.add(dependent);
  }

  #unlink(owner: string, dependent: string): void {
    const known = this.#dependents.get(owner);
    if (known?.delete(dependent) === true && known.size === 0) this.#dependents.delete(owner);
  }
}
