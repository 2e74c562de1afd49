import type { Duplex } from "node:stream";

/** How the server comes to the kubelets of its nodes. */
export interface KubeletOptions {
  /** In PEM: by what kubelets know the server. Without it only those of this process do. */
  readonly cert?: string;
  readonly key?: string;
  /** A new connection to the kubelet of a node of this process, for plain HTTP; undefined for other nodes. */
  readonly connect?: (node: string) => Duplex | undefined;
  /** In PEM: who signs what kubelets serve with. Without it they are believed, as a kube-apiserver does by default. */
  readonly ca?: string;
  /**
   * Whether kubelets and Pods may have addresses of this machine alone. By default proxies lead to none, as whoever writes
   * the status of a Node or Pod could reach what the machine keeps to itself.
   */
  readonly loopback?: boolean;
}
