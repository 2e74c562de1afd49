/** The authority of a cluster: its clients' certificates count, and with its key it signs what is approved. */
export interface ClusterAuthority {
  /** In PEM. */
  readonly cert: string;
  /** In PEM. Without it, approved certificate signing requests are for another component to sign. */
  readonly key?: string | undefined;
}
