/** The networks of the Pods of nodes that share a machine, and the machine's way to them. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ipProgram } from "../namespaces/links.ts";
import type { NetworkPlan } from "../namespaces/network-plan.ts";
import { containerdPaths } from "../namespaces/node-containerd.ts";
import { nodeDataFolder } from "../namespaces/node-data-folder.ts";
import { nodeFolder } from "../namespaces/run-folder.ts";
import type { PodNetworkPlace } from "./pod-network-task.ts";

/** Packets that leave the machine get its address there: the nodes leave them as they are. @param rootDir absolute */
export function namespacedPlaces({ id, nodes }: NetworkPlan, rootDir: string): readonly PodNetworkPlace[] {
  const ofNodes = nodes.map(({ name, namespace }): PodNetworkPlace => {
    const dataFolder = nodeDataFolder(rootDir, name);
    const { cniConfDir: confDir } = containerdPaths(nodeFolder(id, name), dataFolder);
    mkdirSync(confDir, { recursive: true, mode: 0o711 });
    const cni = { confDir, addressDir: join(dataFolder, "addresses") };
    return { nodeName: name, ip: ipProgram(["-n", namespace]), cni, writeRules: undefined };
  });
  return [...ofNodes, { nodeName: undefined, ip: ipProgram(), cni: undefined, writeRules: undefined }];
}
