export type { Options } from "./command.ts";
export { type RunningCluster, type Surroundings, startCluster } from "./start.ts";
export { StartError } from "./start-error.ts";
