export * from "./built-in-controller.ts";
export { replicaSetController } from "./replica-set/controller.ts";
export { replicationControllerController } from "./replication-controller/controller.ts";
