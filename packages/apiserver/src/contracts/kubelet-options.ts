import type { Duplex } from "node:stream";
import type { ContentProvider } from "./content-provider.ts";

/** By what the server and kubelets know each other, in PEM. */
export interface KubeletCredentials {
  /** By what kubelets know the server. Without it only those of this process do. */
  readonly cert?: string;
  readonly key?: string;
  /** Who signs what kubelets serve with. Without it they are believed, as a kube-apiserver does by default. */
  readonly ca?: string;
}

/** How the server comes to the kubelets of its nodes. */
export interface KubeletOptions {
  /** Default: none at all. New connections are made with those of now. */
  readonly credentials?: ContentProvider<KubeletCredentials>;
  /** A new connection to the kubelet of a node of this process, for plain HTTP; undefined for other nodes. */
  readonly connect?: (node: string) => Duplex | undefined;
  /**
   * Whether kubelets and Pods may have addresses of this machine alone. By default proxies lead to none, as whoever writes
   * the status of a Node or Pod could reach what the machine keeps to itself.
   */
  readonly loopback?: boolean;
}
