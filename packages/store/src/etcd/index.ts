/** A store in etcd, which other servers may share. */

export type { EtcdServers } from "./etcd-connection.ts";
export { type EtcdOptions, openEtcdStore } from "./etcd-store.ts";
