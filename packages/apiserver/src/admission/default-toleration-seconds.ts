/** Pods stay five minutes on a node that is not ready or out of reach, unless they say otherwise: also those whose tolerations an update replaces. */
import type { KubeObject } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

interface TolerantPod extends KubeObject {
  spec: { tolerations?: Toleration[] };
}

const seconds = 300;
const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

export const defaultTolerationSeconds: AdmissionPluginFactory = {
  name: "DefaultTolerationSeconds",
  create: () => ({
    handles: ({ operation, resource, subresource }) =>
      operation !== "delete" && subresource === "" && resource.definition.kind === "Pod" && resource.definition.group === "",
    mutate({ object }) {
      const { spec } = object as TolerantPod;
      if (spec === undefined) return;
      const given = spec.tolerations ?? [];
      const missing = taints.filter((taint) => !given.some((toleration) => tolerates(toleration, taint)));
      if (missing.length === 0) return;
      spec.tolerations = [
        ...given,
        ...missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: seconds })),
      ];
    },
  }),
};

const tolerates = ({ key = "", effect = "" }: Toleration, taint: string): boolean =>
  (key === taint || key === "") && (effect === "NoExecute" || effect === "");
