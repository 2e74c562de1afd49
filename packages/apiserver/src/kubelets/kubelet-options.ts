/** How the server comes to the kubelets of its nodes. */
export interface KubeletOptions {
  /** In PEM: by what kubelets know the server. */
  readonly cert: string;
  readonly key: string;
  /** In PEM: who signs what kubelets serve with. Without it they are believed, as a kube-apiserver does by default. */
  readonly ca?: string;
  /**
   * Whether kubelets and Pods may have addresses of this machine alone. By default proxies lead to none, as whoever writes
   * the status of a Node or Pod could reach what the machine keeps to itself.
   */
  readonly loopback?: boolean;
}
