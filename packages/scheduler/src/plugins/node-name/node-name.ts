/** A Pod that names its node runs there or nowhere. */
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import { unschedulableAndUnresolvable } from "../../framework/status.ts";

const otherNode = unschedulableAndUnresolvable("node(s) didn't match the requested node name");

export const nodeName: PluginFactory = () => ({
  name: "NodeName",
  events: [{ event: { resource: "Node", actions: ["add"] } }],
  preFilter: (_, { pod }) => (wanted(pod) === "" ? skip : undefined),
  filter: (_, { pod }, node) => (wanted(pod) === node.name || wanted(pod) === "" ? undefined : otherNode),
});

const wanted = ({ spec }: { readonly spec?: { readonly nodeName?: string } }): string => spec?.nodeName ?? "";
