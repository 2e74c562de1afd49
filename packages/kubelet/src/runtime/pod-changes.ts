/** Notifies listeners of the Pods that changed; each Pod once, however often, until they have read it. */
export class PodChanges {
  readonly #listeners = new Set<Listener>();

  notify(podUid: string): void {
    for (const listener of this.#listeners) {
      listener.pending.add(podUid);
      listener.wake();
    }
  }

  async *watch(signal: AbortSignal): AsyncGenerator<{ readonly podUid: string }> {
    let awake = Promise.withResolvers<void>();
    const listener: Listener = { pending: new Set(), wake: () => awake.resolve() };
    const onAbort = () => awake.resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#listeners.add(listener);
    try {
      while (!signal.aborted) {
        for (const podUid of listener.pending) {
          listener.pending.delete(podUid);
          yield { podUid };
        }
        await awake.promise;
        awake = Promise.withResolvers<void>();
      }
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener("abort", onAbort);
    }
  }
}

interface Listener {
  readonly pending: Set<string>;
  readonly wake: () => void;
}
