/**
 * Keeps Pods from nodes whose kubelets have not declared what the Pods need of them.
 * @see https://kep.k8s.io/5328
 */
import { deepEqual } from "@coxswain/machinery";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import type { Pod } from "../../framework/pod-info.ts";
import { unschedulableAndUnresolvable } from "../../framework/status.ts";
import { nodeOf, podOf } from "../event-objects.ts";

const unable = unschedulableAndUnresolvable("node(s) didn't match Pod's required features");

export const nodeDeclaredFeatures: PluginFactory = () => ({
  name: "NodeDeclaredFeatures",
  events: [
    {
      event: { resource: "Node", actions: ["add", "update"] },
      hint: (_, before, after) => before === undefined || !deepEqual(featuresAt(nodeOf(before)), featuresAt(nodeOf(after))),
    },
    {
      event: { resource: "UnscheduledPod", actions: ["update"] },
      hint: (_, before, after) => !deepEqual(neededBy(podOf(before)), neededBy(podOf(after))),
    },
  ],
  preFilter: (_, { pod }) => (neededBy(pod).length === 0 ? skip : undefined),
  filter: (_, { pod }, { node }) => {
    const declared = featuresAt(node);
    return neededBy(pod).every((feature) => declared.includes(feature)) ? undefined : unable;
  },
});

const featuresAt = (node: ReturnType<typeof nodeOf>): readonly string[] => node?.status?.declaredFeatures ?? [];

const features: readonly { readonly name: string; readonly isNeededBy: (spec: NonNullable<Pod["spec"]>) => boolean }[] = [
  {
    name: "RestartAllContainersOnContainerExits",
    isNeededBy: ({ containers = [], initContainers = [] }) =>
      [...containers, ...initContainers].some(({ restartPolicyRules = [] }) =>
        restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
      ),
  },
  { name: "UserNamespacesHostNetworkSupport", isNeededBy: ({ hostNetwork, hostUsers }) => hostNetwork === true && hostUsers === false },
];

const neededBy = (pod: Pod | undefined): readonly string[] =>
  features.filter(({ isNeededBy }) => pod?.spec !== undefined && isNeededBy(pod.spec)).map(({ name }) => name);
