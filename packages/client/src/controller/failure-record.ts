/** The objects of one controller whose last reconcile failed. */
import type { ReconcileFailure } from "../contracts/reconcile-failures.ts";
import type { ObjectRef } from "../contracts/resource-ref.ts";
import { idOf } from "./pacing.ts";

export class FailureRecord {
  readonly #byId = new Map<string, ReconcileFailure>();

  failed(failure: ReconcileFailure): void {
    this.#byId.set(idOf(failure.object), failure);
  }

  succeeded(ref: ObjectRef): void {
    this.#byId.delete(idOf(ref));
  }

  list(): readonly ReconcileFailure[] {
    return [...this.#byId.values()];
  }
}
