import type { InformerSet } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";

/** The Pod as the informer has it; undefined when it is deleted, `"unknown"` without an informer. */
export function knownPod(
  informers: Pick<InformerSet, "covering">,
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
): KubeObject | "unknown" | undefined {
  const followers = informers.covering({ group: "", resource: "pods" }, namespace);
  if (followers.length === 0) return "unknown";
  // Some follow a part of them.
  for (const { lister } of followers) {
    const pod = lister.get({ namespace, name });
    if (pod !== undefined) return pod;
  }
  return undefined;
}
