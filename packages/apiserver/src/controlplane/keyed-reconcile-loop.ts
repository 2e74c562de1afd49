/** Reconciles keys that are due: those that were marked, and those that a failure has left. */
import { DisposableStack } from "@coxswain/machinery";
import type { Entry, Revision, Store } from "@coxswain/store";
import { ReconcileLoop, type ReconcileLoopOptions } from "./reconcile-loop.ts";

/** `T`: what is known of a key when it is marked. */
export class KeyedReconcileLoop<T> implements AsyncDisposable {
  readonly #loop: ReconcileLoop;
  readonly #subscriptions = new DisposableStack();
  #due = new Map<string, T>();

  /** @param reconcile of one key; those that are due are reconciled at the same time */
  constructor(options: ReconcileLoopOptions, reconcile: (key: string, about: T) => Promise<void>) {
    this.#loop = new ReconcileLoop(options, () => this.#reconcileDue(reconcile));
  }

  get isStopped(): boolean {
    return this.#subscriptions.disposed;
  }

  /** Makes a key due; it is reconciled after `trigger`. What is marked last of a key counts. */
  mark(key: string, about: T): void {
    this.#due.set(key, about);
  }

  /** As `mark`, but for a key that is due already. */
  markUnlessDue(key: string, about: T): void {
    if (!this.#due.has(key)) this.#due.set(key, about);
  }

  /** Reconciles what is due, if anything is. */
  trigger(): void {
    if (this.#due.size > 0) this.#loop.trigger();
  }

  /** Calls `mark` with each version of the objects that a change shows, until the loop is disposed. */
  follow(
    { store, prefix, after }: { readonly store: Store; readonly prefix: string; readonly after: Revision },
    mark: (entry: Entry) => void,
  ): void {
    this.#subscriptions.use(
      store.subscribe(prefix, { after }, ({ events }) => {
        for (const event of events) {
          if (event.previous !== undefined) mark(event.previous);
          if (event.type === "put") mark(event.entry);
        }
        this.trigger();
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscriptions[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #reconcileDue(reconcile: (key: string, about: T) => Promise<void>): Promise<void> {
    const due = this.#due;
    this.#due = new Map();
    await Promise.all(
      [...due].map(async ([key, about]) => {
        try {
          await reconcile(key, about);
        } catch (error) {
          this.markUnlessDue(key, about);
          throw error;
        }
      }),
    );
  }
}
