/** The enabled plugins as one: each is called in turn for the requests that it handles. */
import { DisposableStack } from "@coxswain/machinery";
import type { Compare, Replacement } from "@coxswain/store";
import type { Admission, AdmissionOperation, AdmissionPlugin, AdmissionRequest, AdmissionResource } from "../contracts/admission.ts";

export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #reserving: readonly AdmissionPlugin[];
  readonly #charging: readonly AdmissionPlugin[];
  readonly #waiting: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
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
    for (const plugin of this.#plugins) {
      if (plugin.mutate === undefined || !plugin.handles(request)) continue;
      const pending = plugin.mutate(request);
      if (pending !== undefined) await pending;
    }
  }

  reserves(request: AdmissionRequest): boolean {
    return this.#reserving.some((plugin) => plugin.handles(request));
  }

  async reserve(request: AdmissionRequest): Promise<Disposable> {
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
    for (const plugin of this.#plugins) {
      if (plugin.validate === undefined || !plugin.handles(request)) continue;
      const pending = plugin.validate(request);
      if (pending !== undefined) await pending;
    }
  }

  async comparesOf(request: AdmissionRequest): Promise<readonly Compare[]> {
    const compares: Compare[] = [];
    for (const plugin of this.#plugins) {
      if (plugin.compare === undefined || !plugin.handles(request)) continue;
      const compare = await plugin.compare(request);
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
