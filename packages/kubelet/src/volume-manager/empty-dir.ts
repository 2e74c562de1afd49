/** Room of a Pod's own, on disk or in memory. @see https://kubernetes.io/docs/concepts/storage/volumes/#emptydir */
import { chmod, lstat, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { aggregateResources, type coreV1 } from "@coxswain/api";
import { goQuote, parseQuantity, type Quantity } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import type { Mounter } from "./mounter.ts";

export interface Room {
  readonly path: string;
  readonly inMemory: boolean;
  /** Of what is in memory; undefined: what the system allows. */
  readonly sizeBytes: number | undefined;
}

/** All users may write: the container's processes may have any user. */
const mode = 0o777;

/** @returns whether it was made just now. Without a mounter, memory is not to be had: then it is on disk. */
export async function makeRoom({ path, inMemory, sizeBytes }: Room, mounter: Mounter | undefined): Promise<boolean> {
  const exists = (await lstat(path).catch(() => undefined)) !== undefined;
  if (!exists) {
    // The directories above it are closed to other users.
    await mkdir(dirname(path), { recursive: true, mode: 0o750 });
    await mkdir(path);
    await chmod(path, mode);
  }
  if (!inMemory || mounter === undefined) return !exists;
  if ((await mounter.mountsBelow(path)).includes(path)) return false;
  await mounter.tmpfs(path, sizeBytes === undefined ? [] : [`size=${sizeBytes}`]);
  await chmod(path, mode);
  return true;
}

/** @throws Error in Kubernetes' words */
export function isInMemory({ medium = "" }: coreV1.EmptyDirVolumeSource): boolean {
  if (medium !== "" && medium !== "Memory") throw new Error(`unknown storage medium ${goQuote(medium)}`);
  return medium === "Memory";
}

/** No more than the volume says, than all containers of the Pod may use, and than the node has for Pods. */
export function memorySize({ spec }: Pod, sizeLimit: string | undefined, nodeMemory: string | undefined): number | undefined {
  const limits = [read(nodeMemory), spec === undefined ? undefined : podLimit(spec), read(sizeLimit)];
  const stated = limits.filter((one) => one !== undefined && one.sign() > 0).map((one) => Number(one?.value()));
  return stated.length === 0 ? undefined : Math.min(...stated);
}

/** Undefined when some container may use as much as there is. */
function podLimit(spec: coreV1.PodSpec): Quantity | undefined {
  const ofPod = read(spec.resources?.limits?.memory);
  if (ofPod !== undefined) return ofPod;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const unlimited = containers.some(({ resources }) => resources?.limits?.memory === undefined);
  return unlimited ? undefined : aggregateResources(spec, "limits").get("memory");
}

const read = (text: string | undefined): Quantity | undefined => (text === undefined ? undefined : parseQuantity(text));
