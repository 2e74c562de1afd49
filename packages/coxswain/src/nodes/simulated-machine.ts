/** A machine that is only told of: roomy, so that what people try finds room. */
import type { Machine } from "@coxswain/kubelet";

const gib = 1024 ** 3;

/** Of the kind of this one. */
export const simulatedMachine = (like: Machine, name: string): Machine => ({
  ...like,
  hostname: name,
  operatingSystem: "linux",
  osImage: "Simulated",
  machineId: name,
  systemUuid: name,
  cpus: 32,
  memoryBytes: 256 * gib,
  storageBytes: 1024 * gib,
});
