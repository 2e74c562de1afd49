/** Where runtimes behind a socket begin: what they need is loaded when one is made, which takes a tenth of a second. */

import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { CniFolders } from "./cni-folders.ts";
import type { CriRuntimeOptions } from "./cri-runtime-options.ts";

/** Does not wait for the runtime: calls fail with RuntimeError `unavailable` until it is there, and while it is not. */
export async function createCriRuntime(options: CriRuntimeOptions): Promise<PodRuntime> {
  const { criRuntime } = await import("./cri-runtime.ts");
  return criRuntime({ ...options, socket: pathOf(options.socket) });
}

/** Asks a runtime where it looks for what gives Pods their addresses. @throws RuntimeError where it does not answer */
export async function readCniFolders(options: Required<CriRuntimeOptions>, signal: AbortSignal): Promise<CniFolders> {
  const { cniFolders } = await import("./cni-folders.ts");
  return await cniFolders({ ...options, socket: pathOf(options.socket) }, signal);
}

const pathOf = (socket: string): string => socket.replace(/^unix:\/\//, "");
