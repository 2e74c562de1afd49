export type { Options } from "./command.ts";
export { InProcessCallers, type InProcessOptions, type InProcessUser, inProcessTransport } from "./in-process-transport.ts";
export { type RunningCluster, type Surroundings, startCluster } from "./start.ts";
export { StartError } from "./start-error.ts";
