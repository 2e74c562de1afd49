export type { Options } from "./command.ts";
export { InProcessCallers, type InProcessUser } from "./in-process-callers.ts";
export { type InProcessOptions, inProcessTransport } from "./in-process-transport.ts";
export { type RunningCluster, type Surroundings, startCluster } from "./start.ts";
export { StartError } from "./start-error.ts";
