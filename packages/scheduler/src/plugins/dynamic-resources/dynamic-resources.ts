/**
 * Pods that claim devices. Nothing here allocates any, so a Pod that claims one waits; of others it says what
 * kube-scheduler's plugin of this name says.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
 */
import { stateKey } from "../../framework/cycle-state.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import { errorStatus, unschedulable, unschedulableAndUnresolvable } from "../../framework/status.ts";

const asked = stateKey<true>("DynamicResources");

const noClaims = unschedulable("no new claims to deallocate");
const noDevices = unschedulableAndUnresolvable("cannot allocate all claims");
/** When a plugin before this one has refused the Pod, there is no state, and kube-scheduler says no more than this of it. */
const noState = errorStatus("not found");

export const dynamicResources: PluginFactory = () => ({
  name: "DynamicResources",
  events: [],
  preFilter(state, { pod }) {
    state.set(asked, true);
    return (pod.spec?.resourceClaims ?? []).length === 0 ? skip : noDevices;
  },
  postFilter: async (state) => (state.get(asked) === undefined ? noState : noClaims),
});
