import type { InformerSet } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";

/** The Pod as whoever follows Pods has it; undefined when it has gone, `"unknown"` when nobody follows them. */
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
