/** The facts of a simulated node: a machine of 32 processors, clearly marked as simulated. */
import { createHash } from "node:crypto";
import { formatIp } from "@coxswain/machinery";
import type { NodeIdentity } from "../node-status/node-object.ts";

const gibi = 1024 ** 3;

/** Of an address. */
export type IpFamily = "IPv4" | "IPv6";

/** Returns what a simulated node says of itself: the same for the same name. It has an address of each family. */
export function simulatedIdentity(name: string, index: number, families: readonly IpFamily[] = ["IPv4"]): NodeIdentity {
  const digest = createHash("sha256").update(name).digest("hex");
  const uuid = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  return {
    name,
    machine: {
      hostname: name,
      operatingSystem: "linux",
      architecture: "amd64",
      kernelVersion: "simulated",
      osImage: "Simulated",
      machineId: digest.slice(0, 32),
      systemUuid: uuid,
      bootId: uuid,
      cpus: 32,
      memoryBytes: 256 * gibi,
      storageBytes: 1024 * gibi,
      addresses: families.map((family) => addressOf(index, family)),
    },
    runtimeVersion: "simulated://1.0.0",
    kubeletVersion: "v1.36.3",
    port: undefined,
    labels: {},
    taints: [],
    maxPods: 110,
    runtimeHandlers: [],
  };
}

/** Nodes of IPv4 are in 172.16.0.0/12, as many as there are. */
function addressOf(index: number, family: IpFamily): string {
  if (family === "IPv4") return `172.${16 + ((index >> 16) & 15)}.${(index >> 8) & 255}.${index & 255}`;
  return formatIp({ family: 6, bits: nodes6 + BigInt(index), leadingZeros: false, mapped: false });
}

/** fd00:172:16:: */
const nodes6 = 0xfd00_0172_0016n << 80n;
