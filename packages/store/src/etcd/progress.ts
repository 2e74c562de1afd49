/** Which etcd can be believed when it says that there were no changes. */
import type { EtcdConnection } from "./etcd-connection.ts";

/**
 * Until these versions etcd could report progress to a watch before the changes that came before it.
 * @see https://github.com/etcd-io/etcd/issues/15220
 */
const firstSound: Readonly<Record<string, number>> = { __proto__: null as never, "3.4": 25, "3.5": 8 };

/** Whether all members that answer report progress in order. */
export async function reportsProgressInOrder(etcd: EtcdConnection): Promise<boolean> {
  return (await etcd.versions()).every(isSound);
}

export function isSound(version: string): boolean {
  const [, minor = "", patch = "0"] = /^(\d+\.\d+)\.(\d+)/.exec(version) ?? [];
  const sound = firstSound[minor];
  if (sound !== undefined) return Number(patch) >= sound;
  return Number(minor) > 3.5;
}
