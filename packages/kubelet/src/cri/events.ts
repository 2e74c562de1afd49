/** The container events of the runtime: of containerd since 1.7, and of CRI-O where they are enabled. */
import { podOfLabels } from "../runtime/labels.ts";
import type { CriConnection } from "./cri-connection.ts";

/** Rejects with RuntimeError `unimplemented` where the runtime has none: then containers have to be listed. */
export async function* containerEvents(connection: CriConnection, signal: AbortSignal): AsyncGenerator<{ readonly podUid: string }> {
  for await (const { podSandboxStatus, containersStatuses } of connection.stream("GetContainerEvents", signal)) {
    const podUid = podSandboxStatus?.metadata?.uid ?? podOfLabels(containersStatuses[0]?.labels ?? {})?.uid;
    if (podUid !== undefined && podUid !== "") yield { podUid };
  }
}
