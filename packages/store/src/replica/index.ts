export type { ReplicaStart } from "./protocol.ts";
export { createReplicaHost, type OpenOptions, type ReplicaHost } from "./replica-host.ts";
export { openReplica } from "./replica-store.ts";
