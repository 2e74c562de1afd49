import type { coreV1 } from "@coxswain/api";
import type { OwnerReference } from "@coxswain/machinery";
import type { Pod } from "./pod-state.ts";

/** A Pod as a controller makes it of a template; the server ends its name. `owner` is the controller's reference. */
export function podFromTemplate(template: coreV1.PodTemplateSpec | undefined, ownerName: string, owner: OwnerReference): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${ownerName}-`,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [owner],
    },
    ...(template?.spec === undefined ? {} : { spec: template.spec }),
  };
}
