export * from "./built-in-controller.ts";
export * from "./catalogue.ts";
export { replicaSetController } from "./replica-set/controller.ts";
export { replicationControllerController } from "./replication-controller/controller.ts";
export { deploymentController } from "./deployment/controller.ts";
export { namespaceController } from "./namespace/controller.ts";
