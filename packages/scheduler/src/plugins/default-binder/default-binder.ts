/** Binds a Pod to its node through the API. */
import { isConflict, type KubeObject, pods, type ResourceClient, StatusError } from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";
import type { PluginFactory } from "../../framework/plugin.ts";
import type { Pod, PodInfo } from "../../framework/pod-info.ts";
import { errorStatus } from "../../framework/status.ts";

export const defaultBinder: PluginFactory = (_, { client }) => ({
  name: "DefaultBinder",
  bind: async (_state, pod, node, signal) => {
    const resource = client.resource(pods, pod.namespace);
    try {
      await resource.subresource(pod.name, "binding").create(bindingOf(pod, node), { signal });
      return "bound";
    } catch (error) {
      if (mayBeBound(error) && (await isBoundTo(resource, pod, node, signal))) return "bound";
      return errorStatus(messageOf(error));
    }
  },
});

/** With the uid, so that no namesake that came in between is bound. */
const bindingOf = ({ namespace, name, uid }: PodInfo, node: string): KubeObject & { readonly target: object } => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata: { namespace, name, uid },
  target: { kind: "Node", name: node },
});

/** The answer to an earlier try was lost, or this one's: only what the server refuses for good says that nothing was written. */
const mayBeBound = (error: unknown): boolean => !(error instanceof StatusError && error.code < 500) || isConflict(error);

async function isBoundTo(resource: ResourceClient<Pod>, { name, uid }: PodInfo, node: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { metadata, spec } = await resource.get(name, { signal });
    return metadata?.uid === uid && spec?.nodeName === node;
  } catch {
    // The first error is the one to report.
    return false;
  }
}
