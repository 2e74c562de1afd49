export { type InProcessUser, inProcessTransport } from "../in-process-transport.ts";
export { type SeededRandom, seededRandom } from "./random.ts";
export { type ClusterOptions, startCluster, type TestCluster } from "./start-cluster.ts";
