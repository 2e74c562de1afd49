/** A controller that Kubernetes runs in kube-controller-manager, under the name that `--controllers` knows it by. */
import type { Client, Controller, Task } from "@coxswain/client";

/**
 * A BuiltInController is a controller that Kubernetes runs in kube-controller-manager, under the name that `--controllers`
 * knows it by.
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/
 */
export interface BuiltInController {
  /** `deployment-controller`: Kubernetes' own name, so that flags, logs and metrics read as they do there. */
  readonly name: string;
  /** Of the namespace kube-system, with the rights that Kubernetes' default roles give to this controller. */
  readonly serviceAccount?: string;
  readonly aliases?: readonly string[];
  /** `garbagecollector` and the like are on by default; a few have to be enabled by name. */
  readonly offByDefault?: true;
  /** What it consists of; most are one. */
  make(setup: ControllerSetup): readonly (Controller | Task)[];
}

/** A ControllerSetup is what the process gives to each controller. */
export interface ControllerSetup {
  readonly client: Client;
  readonly settings: ControllerSettings;
}

/** A RootCa is PEM that may change while controllers run. */
export interface RootCa {
  readonly current: string;
  subscribe(listener: () => void): Disposable;
}

/** ControllerSettings are what a cluster chooses; each has kube-controller-manager's default. */
export interface ControllerSettings {
  /** PEM, published as ConfigMap `kube-root-ca.crt`. Without it none is published. */
  readonly rootCa?: string | RootCa;
  /** Without it no ranges are given to Nodes. */
  readonly nodeIpam?: NodeIpamSettings;
}

/** NodeIpamSettings are the ranges of which each Node gets one of each family for its Pods: `--cluster-cidr` and what belongs to it. */
export interface NodeIpamSettings {
  /** One, or one of each family. */
  readonly clusterCidrs: readonly string[];
  /** What of them belongs to Services, and is given to no Node. */
  readonly serviceCidrs?: readonly string[];
  /** The length of a Node's prefix, by family. Default: 24 and 64. */
  readonly maskSizes?: { readonly 4?: number; readonly 6?: number };
}
