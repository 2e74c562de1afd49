/** The enumerations of cri.proto. Written by scripts/generate-cri-messages.ts. */
export type CgroupDriver = "SYSTEMD" | "CGROUPFS";
export type ContainerEventType =
  | "CONTAINER_CREATED_EVENT"
  | "CONTAINER_STARTED_EVENT"
  | "CONTAINER_STOPPED_EVENT"
  | "CONTAINER_DELETED_EVENT";
export type ContainerState = "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED" | "CONTAINER_UNKNOWN";
export type MountPropagation = "PROPAGATION_PRIVATE" | "PROPAGATION_HOST_TO_CONTAINER" | "PROPAGATION_BIDIRECTIONAL";
export type NamespaceMode = "POD" | "CONTAINER" | "NODE" | "TARGET";
export type PodSandboxState = "SANDBOX_READY" | "SANDBOX_NOTREADY";
export type ProfileType = "RuntimeDefault" | "Unconfined" | "Localhost";
export type Protocol = "TCP" | "UDP" | "SCTP";
export type SupplementalGroupsPolicy = "Merge" | "Strict";
