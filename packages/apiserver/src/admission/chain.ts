/** The enabled plugins as one: each is called in turn for the requests that it handles. */
import { DisposableStack } from "@coxswain/machinery";
import type { Compare, Replacement } from "@coxswain/store";
import type { Admission, AdmissionOperation, AdmissionPlugin, AdmissionRequest, AdmissionResource } from "../contracts/admission.ts";

export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #mutating: readonly AdmissionPlugin[];
  readonly #validating: readonly AdmissionPlugin[];
  readonly #comparing: readonly AdmissionPlugin[];
  readonly #reserving: readonly AdmissionPlugin[];
  readonly #charging: readonly AdmissionPlugin[];
  readonly #waiting: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
    this.#mutating = plugins.filter(({ mutate }) => mutate !== undefined);
    this.#validating = plugins.filter(({ validate }) => validate !== undefined);
    this.#comparing = plugins.filter(({ compare }) => compare !== undefined);
    this.#reserving = plugins.filter(({ reserve }) => reserve !== undefined);
    this.#charging = plugins.filter(({ charge }) => charge !== undefined);
    this.#waiting = plugins.filter(({ mayWait }) => mayWait !== undefined);
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    await this.#mutateOnce(request);
    const { reinvocation } = request;
    if (reinvocation?.needed !== true) return;
    reinvocation.round = 1;
    await this.#mutateOnce(request);
  }

  mayWait(operation: AdmissionOperation, resource: AdmissionResource, subresource: string): boolean {
    for (const plugin of this.#waiting) if (plugin.mayWait?.(operation, resource, subresource) === true) return true;
    return false;
  }

  async #mutateOnce(request: AdmissionRequest): Promise<void> {
    // Hardly any handles a given request: iterators of them would be most of what a write leaves to the garbage collector here.
    for (let i = 0; i < this.#mutating.length; i++) {
      const plugin = this.#mutating[i];
      if (plugin?.handles(request) !== true) continue;
      const pending = plugin.mutate?.(request);
      if (pending !== undefined) await pending;
    }
  }

  reserves(request: AdmissionRequest): boolean {
    for (let i = 0; i < this.#reserving.length; i++) if (this.#reserving[i]?.handles(request) === true) return true;
    return false;
  }

  reserve(request: AdmissionRequest): Promise<Disposable> | undefined {
    return this.reserves(request) ? this.#reserve(request) : undefined;
  }

  async #reserve(request: AdmissionRequest): Promise<Disposable> {
    const stack = new DisposableStack();
    try {
      for (const plugin of this.#reserving) if (plugin.handles(request)) stack.use(await plugin.reserve?.(request));
    } catch (error) {
      stack.dispose();
      throw error;
    }
    return stack;
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (let i = 0; i < this.#validating.length; i++) {
      const plugin = this.#validating[i];
      if (plugin?.handles(request) !== true) continue;
      const pending = plugin.validate?.(request);
      if (pending !== undefined) await pending;
    }
  }

  async comparesOf(request: AdmissionRequest): Promise<readonly Compare[]> {
    const compares: Compare[] = [];
    for (const plugin of this.#comparing) {
      if (!plugin.handles(request)) continue;
      const compare = await plugin.compare?.(request);
      if (compare !== undefined) compares.push(compare);
    }
    return compares;
  }

  chargesOf(request: AdmissionRequest): (() => readonly Replacement[]) | undefined {
    for (const plugin of this.#charging)
      if (plugin.handles(request))
        return () => this.#charging.flatMap((one) => (one.handles(request) ? (one.charge?.(request) ?? []) : []));
    return undefined;
  }

  async start(): Promise<Disposable> {
    const stack = new DisposableStack();
    for (const plugin of this.#plugins) if (plugin.start !== undefined) stack.use(await plugin.start());
    return stack;
  }
}
