import type { Client, ResourceRef, Target } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";

/** One object of a cluster, there or not, for whoever asks how it is: `cluster.object(pods, "web")`. */
export interface ClusterObject<T extends KubeObject = KubeObject> {
  readonly client: Client;
  readonly ref: ResourceRef<T>;
  /** A name alone means the client's namespace. */
  readonly target: Target;
}
