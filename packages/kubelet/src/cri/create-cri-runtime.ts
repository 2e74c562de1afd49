/** Where runtimes behind a socket begin: what they need is loaded when one is made, which takes a tenth of a second. */

import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { CriRuntimeOptions } from "./cri-runtime-options.ts";

/** Does not wait for the runtime: calls fail with RuntimeError `unavailable` until it is there, and while it is not. */
export async function createCriRuntime(options: CriRuntimeOptions): Promise<PodRuntime> {
  const { criRuntime } = await import("./cri-runtime.ts");
  return criRuntime({ ...options, socket: options.socket.replace(/^unix:\/\//, "") });
}
