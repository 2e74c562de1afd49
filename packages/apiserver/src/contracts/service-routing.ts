/**
 * Where requests to a Service go that a webhook or an APIService names, as kube-apiserver's `--enable-aggregator-routing` has it:
 *
 * - `cluster-ip`: to its cluster IP or external name. Something has to lead from there in the network of the server.
 * - `endpoint`: to one of its endpoints.
 * - `reachable`: to wherever something answers without rules of Services: an external name, else one of its endpoints.
 */
export type ServiceRouting = "cluster-ip" | "endpoint" | "reachable";
