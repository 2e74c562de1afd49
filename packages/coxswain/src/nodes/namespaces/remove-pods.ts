/** Ends what a node's runtime runs, when nobody is to look after it any more. */
import type { PodRuntime } from "@coxswain/kubelet";

/** How long containers may take to end by themselves. */
const graceSeconds = 3;

/** What cannot be ended rejects: then the rest of it is still tried. @throws AggregateError */
export async function removePods(runtime: PodRuntime, signal: AbortSignal): Promise<void> {
  const containers = (await runtime.listContainers(signal)).filter(({ state }) => state === "running");
  const stopped = await Promise.allSettled(containers.map(({ id }) => runtime.stopContainer(id, graceSeconds, signal)));
  const sandboxes = await runtime.listPodSandboxes(signal);
  const removed = await Promise.allSettled(
    sandboxes.map(async ({ id }) => {
      await runtime.stopPodSandbox(id, signal);
      await runtime.removePodSandbox(id, signal);
    }),
  );
  const problems = [...stopped, ...removed].flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (problems.length > 0) throw new AggregateError(problems, "failed to remove Pods");
}
