/**
 * `DisposableStack` and `AsyncDisposableStack` of ECMAScript's explicit resource management, for engines that lack them:
 * Node before 24 and Safari. What is declared with `using` is rewritten when packages are built; these cannot be.
 * @see https://tc39.es/proposal-explicit-resource-management/
 */

/** Owns resources and disposes of them in the order opposite to that in which it got them, whatever one of them throws. */
export class DisposableStack implements Disposable {
  #disposers: (() => void)[] = [];
  #isDisposed = false;

  /** Whether it has been disposed of or moved: then it takes nothing more. */
  get disposed(): boolean {
    return this.#isDisposed;
  }

  /** Takes over a resource and returns it. @throws ReferenceError after `dispose` or `move` */
  use<T extends Disposable | null | undefined>(resource: T): T {
    assertOpen(this.#isDisposed);
    if (resource !== null && resource !== undefined) this.#disposers.push(disposerOf(resource));
    return resource;
  }

  /** Calls `onDispose` at the end. @throws ReferenceError after `dispose` or `move` */
  defer(onDispose: () => void): void {
    assertOpen(this.#isDisposed);
    this.#disposers.push(onDispose);
  }

  /** Gives all to a new stack and keeps nothing. @throws ReferenceError after `dispose` or `move` */
  move(): DisposableStack {
    assertOpen(this.#isDisposed);
    const next = new DisposableStack();
    next.#disposers = this.#disposers;
    this.#disposers = [];
    this.#isDisposed = true;
    return next;
  }

  /** @throws what one of them threw, or an AggregateError with all that they threw, the first first */
  dispose(): void {
    this.#isDisposed = true;
    const errors: unknown[] = [];
    for (let disposer = this.#disposers.pop(); disposer !== undefined; disposer = this.#disposers.pop()) {
      try {
        disposer();
      } catch (error) {
        errors.push(error);
      }
    }
    throwAll(errors);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** The same for resources whose end takes time: each is awaited before the one that was taken over earlier. */
export class AsyncDisposableStack implements AsyncDisposable {
  #disposers: (() => unknown)[] = [];
  #isDisposed = false;

  /** Whether it has been disposed of or moved: then it takes nothing more. */
  get disposed(): boolean {
    return this.#isDisposed;
  }

  /** Takes over a resource and returns it. @throws ReferenceError after `disposeAsync` or `move` */
  use<T extends AsyncDisposable | Disposable | null | undefined>(resource: T): T {
    assertOpen(this.#isDisposed);
    if (resource !== null && resource !== undefined) this.#disposers.push(asyncDisposerOf(resource));
    return resource;
  }

  /** Calls `onDispose` at the end and awaits it. @throws ReferenceError after `disposeAsync` or `move` */
  defer(onDispose: () => PromiseLike<void> | void): void {
    assertOpen(this.#isDisposed);
    this.#disposers.push(onDispose);
  }

  /** Gives all to a new stack and keeps nothing. @throws ReferenceError after `disposeAsync` or `move` */
  move(): AsyncDisposableStack {
    assertOpen(this.#isDisposed);
    const next = new AsyncDisposableStack();
    next.#disposers = this.#disposers;
    this.#disposers = [];
    this.#isDisposed = true;
    return next;
  }

  /** Rejects with what one of them threw, or with an AggregateError of all that they threw, the first first. */
  async disposeAsync(): Promise<void> {
    this.#isDisposed = true;
    const errors: unknown[] = [];
    for (let disposer = this.#disposers.pop(); disposer !== undefined; disposer = this.#disposers.pop()) {
      try {
        await disposer();
      } catch (error) {
        errors.push(error);
      }
    }
    throwAll(errors);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

function assertOpen(isDisposed: boolean): void {
  if (isDisposed) throw new ReferenceError("the stack has already been disposed of");
}

function disposerOf(resource: Disposable): () => void {
  const dispose = resource[Symbol.dispose];
  if (typeof dispose !== "function") throw new TypeError("the resource has no [Symbol.dispose]()");
  return () => dispose.call(resource);
}

function asyncDisposerOf(resource: AsyncDisposable | Disposable): () => unknown {
  const dispose = (resource as Partial<AsyncDisposable>)[Symbol.asyncDispose];
  if (dispose === undefined) return disposerOf(resource as Disposable);
  if (typeof dispose !== "function") throw new TypeError("the resource has no [Symbol.asyncDispose]()");
  return () => dispose.call(resource);
}

function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "several resources failed to be disposed of");
}
