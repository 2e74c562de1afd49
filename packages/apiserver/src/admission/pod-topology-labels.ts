/** A Pod gets to know the zone and region of its node. @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtopologylabels */
import type { coreV1 } from "@coxswain/api";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";

const nodes = { group: "", version: "v1", resource: "nodes" };
const copied = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

export const podTopologyLabels: AdmissionPluginFactory<ObjectReader> = {
  name: "PodTopologyLabels",
  create: (reader) => ({
    handles: ({ operation, resource, subresource }) =>
      operation === "create" &&
      (subresource === "" || subresource === "binding") &&
      resource.definition.kind === "Pod" &&
      resource.definition.group === "",
    async mutate({ object, subresource }) {
      const { metadata } = object ?? {};
      const node = subresource === "binding" ? targetOf(object as coreV1.Binding) : (object as coreV1.Pod).spec?.nodeName;
      if (metadata === undefined || !node) return;
      const labels = await topologyOf(reader, node);
      if (Object.keys(labels).length > 0) metadata.labels = { ...metadata.labels, ...labels };
    },
  }),
};

/** Only a Node that is called one: what else can be bound to has no place. */
const targetOf = ({ target }: coreV1.Binding): string | undefined => (target?.kind === "Node" ? target.name : undefined);

async function topologyOf(reader: ObjectReader, name: string): Promise<Readonly<Record<string, string>>> {
  const { metadata: { labels = {} } = {} } = (await readObject<coreV1.Node>(reader, nodes, "", name)) ?? {};
  return Object.fromEntries(copied.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
}
