/**
 * Pods tolerate the nodes that are kept for the extended resources that they ask for.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
 */
import { type coreV1, isExtendedResource } from "@coxswain/api";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { isPodWrite } from "./pod-writes.ts";

export const extendedResourceToleration: AdmissionPluginFactory = {
  name: "ExtendedResourceToleration",
  offByDefault: true,
  create: () => ({
    handles: isPodWrite,
    mutate({ object }) {
      const { spec } = object as coreV1.Pod;
      if (spec === undefined) return;
      const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
      const names = new Set(containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {})).filter(isExtendedResource));
      for (const key of [...names].sort()) tolerate(spec, { key, operator: "Exists", effect: "NoSchedule" });
    },
  }),
};

/** In the place of what says the same with other seconds. */
function tolerate(spec: coreV1.PodSpec, toleration: coreV1.Toleration): void {
  const given = spec.tolerations ?? [];
  const isSame = ({ key = "", operator = "", value = "", effect = "" }: coreV1.Toleration): boolean =>
    key === toleration.key && operator === toleration.operator && value === "" && effect === toleration.effect;
  const matching = given.filter(isSame);
  if (matching.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return;
  spec.tolerations = matching.length > 0 ? given.map((one) => (isSame(one) ? toleration : one)) : [...given, toleration];
}
