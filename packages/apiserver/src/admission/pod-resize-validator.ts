/**
 * A Pod is resized only on Linux, and never to more than its node has at all.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/
 */
import { type coreV1, podRequests, readAmounts } from "@coxswain/api";
import { quantityOf, StatusError } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { refused } from "./refused.ts";

const nodes = { group: "", version: "v1", resource: "nodes" };

export const podResizeValidator: AdmissionPluginFactory<ObjectReader> = {
  name: "PodResizeValidator",
  create: (reader) => ({
    handles: ({ operation, resource, subresource }) =>
      operation === "update" && subresource === "resize" && resource.definition.kind === "Pod" && resource.definition.group === "",
    async validate(request) {
      const [pod, current] = [request.object as coreV1.Pod, request.previous as Readonly<coreV1.Pod>];
      const name = pod.spec?.nodeName ?? "";
      if (name === "" || pod.metadata?.generation === current.metadata?.generation) return;
      const node = await readObject<coreV1.Node>(reader, nodes, "", name);
      if (node === undefined) throw refused(request, `node ${JSON.stringify(name)} not found`);
      const system = node.metadata?.labels?.["kubernetes.io/os"] ?? "linux";
      if (system !== "linux")
        throw problem(
          request,
          "UnsupportedPlatform",
          `pod resize is only supported on linux nodes, node ${JSON.stringify(name)} is ${JSON.stringify(system)}`,
        );
      const lacking = lackOf(pod, node);
      if (lacking.length > 0)
        throw problem(request, "NodeCapacity", `node didn't have enough allocatable resources: ${lacking.join("; ")}`);
    },
  }),
};

/** In thousandths of processors, and in bytes. */
function lackOf(pod: coreV1.Pod, { status }: Readonly<coreV1.Node>): readonly string[] {
  const [wanted, there] = [podRequests(pod), readAmounts(status?.allocatable)];
  const zero = quantityOf(0);
  return (["cpu", "memory"] as const).flatMap((name) => {
    const [requested, allocatable] = [wanted.get(name) ?? zero, there.get(name) ?? zero];
    if (requested.compare(allocatable) <= 0) return [];
    const shown = name === "cpu" ? [requested.milli(), allocatable.milli()] : [requested.value(), allocatable.value()];
    return [`${name}, requested: ${shown[0]}, allocatable: ${shown[1]}`];
  });
}

function problem(request: AdmissionRequest, reason: string, why: string): StatusError {
  const { status } = refused(request, why);
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}
