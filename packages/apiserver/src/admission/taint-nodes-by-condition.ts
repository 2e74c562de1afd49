/** A new Node takes no Pods until something says that it is ready. @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
import type { KubeObject } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";

interface Taint {
  readonly key: string;
  readonly effect: string;
}

interface TaintedNode extends KubeObject {
  spec?: { taints?: Taint[] };
}

const notReady: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

export const taintNodesByCondition: AdmissionPluginFactory = {
  name: "TaintNodesByCondition",
  create: () => ({
    handles: ({ operation, resource, subresource }) =>
      operation === "create" && subresource === "" && resource.definition.kind === "Node" && resource.definition.group === "",
    mutate({ object }) {
      const node = object as TaintedNode;
      const taints = node.spec?.taints ?? [];
      if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
      node.spec = { ...node.spec, taints: [...taints, { ...notReady }] };
    },
  }),
};
