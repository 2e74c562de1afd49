/** What only Node has: files, sockets and processes. */
export type { TlsOptions } from "./dial.ts";
export type { ReloadAccess } from "./followed-credentials.ts";
export { type ForwardedPort, type ForwardPortOptions, forwardPort } from "./forward-port.ts";
export { type Http2TransportOptions, http2Transport } from "./http2-transport.ts";
export { type InClusterOptions, inClusterKubeconfig } from "./in-cluster.ts";
export { type LoadOptions, loadKubeconfig } from "./load-kubeconfig.ts";
export { clientFromKubeconfig, type KubeconfigClientOptions, type KubeconfigTransportOptions, transportOf } from "./transport-of.ts";
