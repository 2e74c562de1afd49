/** Owners that the server has said not to exist: their dependents need not ask for each of them again. */
import type { Coordinates } from "./node.ts";

/** So many are remembered; Kubernetes' number. */
const capacity = 500;

/** A uid is never given again, so what is here is true for ever. */
export class AbsentOwnerCache {
  readonly #keys = new Set<string>();

  add(owner: Coordinates): void {
    const key = keyOf(owner);
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= capacity) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }

  has(owner: Coordinates): boolean {
    return this.#keys.has(keyOf(owner));
  }
}

const keyOf = ({ apiVersion, kind, namespace, name, uid }: Coordinates): string => JSON.stringify([apiVersion, kind, namespace, name, uid]);
