export { type ClusterDependencies, type RunningCluster, startCluster } from "./cluster/start-cluster.ts";
export { InProcessCallers, type InProcessUser } from "./in-process/in-process-callers.ts";
export { type InProcessOptions, inProcessTransport } from "./in-process/in-process-transport.ts";
export { PortClient } from "./message-port/port-client.ts";
export { type PortServerOptions, servePort } from "./message-port/port-server.ts";
export type { Options } from "./options/cluster-options.ts";
export type { NodeOptions } from "./options/node-options.ts";
export { StartError } from "./process/start-error.ts";
