/** Pods may keep others off nodes, but off no larger parts of a cluster. */
import type { coreV1 } from "@coxswain/api";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { isPodWrite } from "./pod-writes.ts";
import { refused } from "./refused.ts";

const allowed = "kubernetes.io/hostname";

export const limitPodHardAntiAffinityTopology: AdmissionPluginFactory = {
  name: "LimitPodHardAntiAffinityTopology",
  offByDefault: true,
  create: () => ({
    handles: isPodWrite,
    validate(request) {
      const { spec } = request.object as coreV1.Pod;
      const terms = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const other = terms.find(({ topologyKey }) => topologyKey !== allowed);
      if (other === undefined) return;
      const why = `has TopologyKey ${other.topologyKey} but only key ${allowed} is allowed`;
      throw refused(request, `affinity.PodAntiAffinity.RequiredDuringScheduling ${why}`);
    },
  }),
};
