export * from "./built-in-controller.ts";
export * from "./catalogue.ts";
export { deploymentController } from "./deployment/controller.ts";
export { namespaceController } from "./namespace/controller.ts";
export { replicaSetController } from "./replica-set/controller.ts";
export { replicationControllerController } from "./replication-controller/controller.ts";
export { rootCaPublisherController } from "./root-ca-publisher/controller.ts";
export { serviceAccountController } from "./service-account/controller.ts";
