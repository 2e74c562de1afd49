/** What happens to containers, as the runtime tells it: since containerd 1.7, and CRI-O where it is asked to. */
import { podOfLabels } from "../runtime/labels.ts";
import type { CriConnection } from "./cri-connection.ts";

/** Rejects with RuntimeError `unimplemented` where the runtime tells nothing: then one has to look. */
export async function* containerEvents(connection: CriConnection, signal: AbortSignal): AsyncGenerator<{ readonly podUid: string }> {
  for await (const { podSandboxStatus, containersStatuses } of connection.stream("GetContainerEvents", signal)) {
    const podUid = podSandboxStatus?.metadata?.uid ?? podOfLabels(containersStatuses[0]?.labels ?? {})?.uid;
    if (podUid !== undefined && podUid !== "") yield { podUid };
  }
}
