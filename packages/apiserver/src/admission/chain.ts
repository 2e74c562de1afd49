/** The enabled plugins as one: each is called in turn for the requests that it handles. */
import { DisposableStack } from "@coxswain/machinery";
import type { Compare } from "@coxswain/store";
import type { Admission, AdmissionPlugin, AdmissionRequest } from "../contracts/admission.ts";

export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.mutate === undefined || !plugin.handles(request)) continue;
      const pending = plugin.mutate(request);
      if (pending !== undefined) await pending;
    }
  }

  async reserve(request: AdmissionRequest): Promise<Disposable> {
    const stack = new DisposableStack();
    try {
      for (const plugin of this.#plugins) {
        if (plugin.reserve !== undefined && plugin.handles(request)) stack.use(await plugin.reserve(request));
      }
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

  async start(): Promise<Disposable> {
    const stack = new DisposableStack();
    for (const plugin of this.#plugins) if (plugin.start !== undefined) stack.use(await plugin.start());
    return stack;
  }
}
