/** What nodes are started with, whatever runs their containers, and what they are once started. */
import type { ContentProvider, Log, ServiceIpRanges } from "@coxswain/apiserver";
import type { Client, InformerSet } from "@coxswain/client";
import type { IsolatePod, MasterService, ServedNode } from "@coxswain/kubelet";
import type { RandomSource } from "@coxswain/machinery";
import type { KeyPair, ServedNames } from "@coxswain/pki/node";
import type { InProcessComponent } from "../components/start-component.ts";
import type { NodeOptions } from "../options/node-options.ts";
import type { ChosenRuntime } from "./choose-runtime.ts";
import type { NamespacedNodes } from "./namespaces/namespaced-nodes.ts";

export interface NodesSettings {
  readonly options: NodeOptions;
  readonly chosen: ChosenRuntime;
  /** Absolute. */
  readonly rootDir: string;
  /** As `system:node:<name>`. */
  readonly clientFor: (node: string) => Client;
  /** As who simulated nodes share their copies of all Nodes and Pods, and write events. */
  readonly fleetClient: () => Client;
  /** Whether that may also read what their Pods refer to, once for all of them. Default: each node reads that as itself. */
  readonly sharesReads?: boolean;
  /** Of which simulated Pods have addresses: those that Services have. */
  readonly ipFamilies: ServiceIpRanges["families"];
  /** `v1.36.3+coxswain-…`. */
  readonly kubeletVersion: string;
  /**
   * What the kubelet's server listens on, and what the nodes say they are reached at; undefined for all addresses, and the
   * machine's own.
   */
  readonly address: string | undefined;
  /** With what the kubelet's server serves. */
  readonly credentials: (node: string, names: ServedNames, client: Client) => ServingCredentials | Promise<ServingCredentials>;
  /** In PEM: who signs the certificates of those that may ask the kubelet. */
  readonly clientAuthority: ContentProvider<string>;
  readonly masterService: MasterService | undefined;
  /** How Pods with containers are isolated before these start; undefined where nobody enforces NetworkPolicies. */
  readonly isolateFor?: ((node: string) => IsolatePod) | undefined;
  /** Where nodes have network namespaces of their own: what is said of one kubelet's server above is not of theirs. */
  readonly namespaced?: NamespacedNodes | undefined;
  readonly random: RandomSource;
  readonly log: Log;
  /** Where simulated nodes share their copies of Nodes and Pods with others. */
  readonly informers?: InformerSet | undefined;
}

/** With what a kubelet serves from its start on, and with what later. */
export interface ServingCredentials {
  readonly current: KeyPair;
  /** Calls back with each later one. Settles when `signal` says so, or rejects where there will be none. */
  readonly follow?: (use: (next: KeyPair) => void, signal: AbortSignal) => Promise<void>;
}

export const followedCredentials = (pair: ContentProvider<KeyPair>): ServingCredentials => ({
  current: pair.current,
  follow: (use, signal) =>
    new Promise((resolve) => {
      const subscription = pair.subscribe(use);
      signal.addEventListener("abort", () => resolve(subscription[Symbol.dispose]()), { once: true });
    }),
});

/** What the nodes know of each other and of their host. */
export interface NodesEndpoint {
  /** At least one. */
  readonly names: readonly [string, ...string[]];
  readonly addresses: readonly string[];
  readonly port: number;
  /** Where the server finds them. */
  readonly served: Map<string, ServedNode>;
}

export interface StartedNodes extends InProcessComponent {
  /** Resolves when all are ready for Pods. */
  readonly ready: Promise<void>;
}
