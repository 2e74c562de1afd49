/** The choice of who gives Pods their addresses, made once for all that depend on it. */
import type { PodNetworkChoice, RuntimeForPods } from "./choose-pod-network.ts";

/** @throws RuntimeError for a runtime that does not answer */
export type ChosenPodNetwork = () => Promise<PodNetworkChoice>;

/** Asks the runtime when somebody first wants to know, and again only when it did not answer. */
export function chosenPodNetwork(runtime: RuntimeForPods): ChosenPodNetwork {
  let chosen: Promise<PodNetworkChoice> | undefined;
  return async () => {
    // Loaded once the server answers.
    chosen ??= import("./choose-pod-network.ts").then(({ choosePodNetwork }) => choosePodNetwork(runtime));
    const asked = chosen;
    try {
      return await asked;
    } catch (error) {
      if (chosen === asked) chosen = undefined;
      throw error;
    }
  };
}
