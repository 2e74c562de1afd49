/** What of a machine the network of Pods depends on. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inNamespace, isExecutable, runProgram } from "./run-program.ts";

/** Where CNI plugins are installed: as Debian has them, and as others do. Undefined where they are not. */
export const cniPluginFolder = (): string | undefined =>
  ["/usr/lib/cni", "/opt/cni/bin"].find((folder) => isExecutable(join(folder, "ptp")));

/** Whether rules are asked of packets that go from Pod to Pod of one node. @param namespace default: this process's */
export async function areBridgedPacketsFiltered(namespace?: string): Promise<boolean> {
  const setting = "/proc/sys/net/bridge/bridge-nf-call-iptables";
  // There is one for each network namespace, or none where the kernel's module is not loaded.
  if (!existsSync(setting)) return false;
  const text = namespace === undefined ? readFileSync(setting, "utf8") : await runProgram([...inNamespace(namespace), "cat", setting]);
  return text.trim() === "1";
}
