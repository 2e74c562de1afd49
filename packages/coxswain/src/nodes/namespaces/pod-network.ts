/** How Pods of nodes that share a machine get addresses, and reach each other. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivately } from "../../access/private-file.ts";
import type { NamespacedNode, NetworkPlan } from "./network-plan.ts";
import { inNamespace, isExecutable, runProgram } from "./run-program.ts";

/** What the Pods of a node are joined by, in its network namespace. */
export const podBridge = "cni0";

/** Where CNI plugins are installed: as Debian has them, and as others do. Undefined where they are not. */
export const cniPluginFolder = (): string | undefined =>
  ["/usr/lib/cni", "/opt/cni/bin"].find((folder) => isExecutable(join(folder, "bridge")));

/** A list of plugins for one node. Packets keep the Pod's address: whoever leads them out of the machine gives them another. */
export function writeCniConfig(folder: string, { podCidr }: NamespacedNode, dataFolder: string): void {
  const config = {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      {
        type: "bridge",
        bridge: podBridge,
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: "host-local",
          dataDir: join(dataFolder, "addresses"),
          ranges: [[{ subnet: podCidr }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
  writePrivately(join(folder, "10-pods.conflist"), `${JSON.stringify(config, undefined, 2)}\n`);
}

/** From this machine to the Pods of all nodes, and from each node to those of the others. @throws ProgramError */
export async function ensureRoutes({ nodes }: NetworkPlan): Promise<void> {
  const ways = [undefined, ...nodes].flatMap((from) =>
    nodes.flatMap((to) => (from === to ? [] : [{ namespace: from === undefined ? [] : ["-n", from.namespace], to }])),
  );
  await Promise.all(ways.map(({ namespace, to }) => runProgram(["ip", ...namespace, "route", "replace", to.podCidr, "via", to.address])));
}

/** Whether rules are asked of packets that go from Pod to Pod of one node. @param namespace default: this process's */
export async function areBridgedPacketsFiltered(namespace?: string): Promise<boolean> {
  const setting = "/proc/sys/net/bridge/bridge-nf-call-iptables";
  // There is one for each network namespace, or none where the kernel's module is not loaded.
  if (!existsSync(setting)) return false;
  const text = namespace === undefined ? readFileSync(setting, "utf8") : await runProgram([...inNamespace(namespace), "cat", setting]);
  return text.trim() === "1";
}
