/**
 * A Pod is changed only in ways that the kubelet of its node has declared to know.
 * @see https://kep.k8s.io/5328
 */
import type { coreV1 } from "@coxswain/api";
import { deepEqual, goQuote } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { refused } from "./refused.ts";

const nodes = { group: "", version: "v1", resource: "nodes" };

export const nodeDeclaredFeatureValidator: AdmissionPluginFactory<ObjectReader> = {
  name: "NodeDeclaredFeatureValidator",
  create: (reader) => ({
    handles: ({ operation, resource, subresource }) =>
      operation === "update" &&
      (subresource === "" || subresource === "resize") &&
      resource.definition.resource === "pods" &&
      resource.definition.group === "",
    async validate(request) {
      const [pod, current] = [request.object as coreV1.Pod, request.previous as Readonly<coreV1.Pod>];
      const name = pod.spec?.nodeName ?? "";
      if (name === "") return;
      const needed = features.filter(({ isNeededFor }) => isNeededFor(pod.spec, current.spec)).map((feature) => feature.name);
      if (needed.length === 0) return;
      const node = await readObject<coreV1.Node>(reader, nodes, "", name);
      if (node === undefined) throw refused(request, `node ${goQuote(name)} not found`);
      const declared = node.status?.declaredFeatures ?? [];
      const lacking = needed.filter((feature) => !declared.includes(feature));
      if (lacking.length === 0) return;
      throw refused(request, `pod update requires features ${lacking.join(", ")} which are not available on node ${goQuote(name)}`);
    },
  }),
};

type Spec = coreV1.PodSpec | undefined;

interface Feature {
  readonly name: string;
  readonly isNeededFor: (spec: Spec, previous: Spec) => boolean;
}

/** Those that a change may need, in the order in which they are named. */
const features: readonly Feature[] = [
  {
    name: "InPlacePodLevelResourcesVerticalScaling",
    isNeededFor: (spec, previous) => !deepEqual(spec?.resources, previous?.resources),
  },
  {
    name: "InPlacePodVerticalScalingInitContainers",
    isNeededFor: (spec, previous) =>
      (previous?.initContainers ?? []).some(
        ({ restartPolicy, resources }, i) => restartPolicy !== "Always" && !deepEqual(resources, spec?.initContainers?.[i]?.resources),
      ),
  },
];
