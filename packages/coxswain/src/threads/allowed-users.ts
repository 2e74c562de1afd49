/** Whom a thread may be at the server: who its components are, and nobody else. */
import { type InProcessUser, systemServiceAccount } from "../in-process/in-process-callers.ts";
import { fleetUser, nodeUser } from "../nodes/node-users.ts";
import type { ThreadComponent } from "./thread-protocol.ts";

const accountPrefix = systemServiceAccount("").name;
const nodePrefix = nodeUser("").name;

const users: Readonly<Record<ThreadComponent, (name: string) => InProcessUser | undefined>> = {
  // Each of them has an account of its own.
  controllers: (name) =>
    name.startsWith(accountPrefix)
      ? systemServiceAccount(name.slice(accountPrefix.length))
      : exactly(name, { name: "system:kube-controller-manager" }),
  scheduler: (name) => exactly(name, { name: "system:kube-scheduler" }),
  nodes: (name) => (name.startsWith(nodePrefix) ? nodeUser(name.slice(nodePrefix.length)) : exactly(name, fleetUser)),
};

const exactly = (name: string, user: InProcessUser): InProcessUser | undefined => (name === user.name ? user : undefined);

export const allowedFor =
  (components: readonly ThreadComponent[]) =>
  (user: InProcessUser): boolean =>
    components.some((component) => isSame(users[component](user.name), user));

const isSame = (one: InProcessUser | undefined, other: InProcessUser): boolean =>
  one !== undefined && one.uid === other.uid && (one.groups ?? []).join() === (other.groups ?? []).join();
