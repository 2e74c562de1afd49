/** A bound Pod gets to know its node's zone and region. @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtopologylabels */
import type { KubeObject } from "@coxswain/machinery";
import { keyOf } from "../registry/served-resource.ts";
import type { AdmissionPlugin } from "./admission.ts";

interface Binding extends KubeObject {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

const copied = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

export const podTopologyLabels: AdmissionPlugin = {
  name: "PodTopologyLabels",
  handles: ({ operation, resource, subresource }) =>
    operation === "create" && subresource === "binding" && resource.definition.kind === "Pod" && resource.definition.group === "",
  async mutate({ server, object }) {
    const { metadata, target } = (object ?? {}) as Binding;
    const nodes = server.served.find("", "v1", "nodes");
    if (metadata === undefined || nodes === undefined || !target?.name) return;
    const { entry } = await server.store.get(keyOf(nodes, "", target.name));
    if (entry === undefined) return;
    const labels = server.cache.labelsOf(entry);
    for (const key of copied) {
      const value = labels[key];
      if (value !== undefined) metadata.labels = { ...metadata.labels, [key]: value };
    }
  },
};
