/** What is left on the node of unknown Pods: of those deleted while no kubelet ran, and of incomplete ones. */
import { killOrphan } from "../kuberuntime/kill-pod.ts";
import { type PodState, podState } from "../pod/pod-state.ts";
import { callRuntime } from "../runtime/call-runtime.ts";
import { removeRemains } from "./end-pod.ts";
import type { NodeContext } from "./pod-sync-status.ts";

/** Whether a Pod with this uid exists. */
export type IsKnown = (podUid: string) => boolean;

/** Takes away all of it that can be; what cannot stays until the next time. */
export async function removeOrphans(node: NodeContext, isKnown: IsKnown, signal: AbortSignal): Promise<void> {
  const states = await statesOf(node, isKnown, signal);
  for (const [uid, state] of states) {
    // A Pod with its uid may have been added meanwhile.
    if (!isKnown(uid)) await attempt(node, uid, () => removeOne(node, uid, state, signal), signal);
  }
  const present = await node.dependencies.volumes.present();
  for (const uid of present) {
    if (!isKnown(uid)) await attempt(node, uid, () => node.dependencies.volumes.unmount(uid, signal), signal);
  }
}

async function statesOf(node: NodeContext, isKnown: IsKnown, signal: AbortSignal): Promise<Map<string, PodState>> {
  const sandboxes = await callRuntime(node, signal, (runtime, own) => runtime.listPodSandboxes(own));
  const containers = await callRuntime(node, signal, (runtime, own) => runtime.listContainers(own));
  const uids = new Set([...sandboxes, ...containers].map(({ pod }) => pod.uid));
  const unknown = [...uids].filter((uid) => uid !== "" && !isKnown(uid));
  const of = <T extends { readonly pod: { readonly uid: string } }>(all: readonly T[], uid: string) =>
    all.filter(({ pod }) => pod.uid === uid);
  return new Map(unknown.map((uid) => [uid, podState(of(sandboxes, uid), of(containers, uid))]));
}

async function removeOne(node: NodeContext, uid: string, state: PodState, signal: AbortSignal): Promise<void> {
  await killOrphan(node, state, signal);
  await node.dependencies.volumes.unmount(uid, signal);
  const [pod] = [...state.sandboxes, ...state.containers].map((one) => one.pod);
  if (pod !== undefined) await removeRemains(node, pod, state, signal);
}

async function attempt(node: NodeContext, uid: string, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await work();
  } catch (error) {
    signal.throwIfAborted();
    node.log.warn({ error, uid }, "failed to remove what is left of a Pod");
  }
}
