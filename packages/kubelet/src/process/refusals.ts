/** What a process without a container around it cannot be, which is rejected. */
import type { ContainerConfig } from "../runtime/runtime-config.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";

/** @throws RuntimeError `refused` */
export function refuseWhatCannotBe({ name, security, devices, mounts }: ContainerConfig): void {
  const refuse = (what: string) => {
    throw new RuntimeError("refused", `container ${JSON.stringify(name)} ${what}, which the process runtime cannot give`);
  };
  if (security.privileged) refuse("is privileged");
  if (security.addCapabilities.length > 0) refuse(`asks for the capabilities ${security.addCapabilities.join(", ")}`);
  if (devices.length > 0) refuse("asks for devices");
  if (mounts.some(({ propagation }) => propagation === "bidirectional")) refuse("propagates its mounts");
  const uid = process.getuid?.();
  if (uid !== 0 && security.runAsUser !== undefined && security.runAsUser !== uid) refuse(`wants to run as user ${security.runAsUser}`);
  if (uid !== 0 && security.runAsUsername !== "") refuse(`wants to run as user ${security.runAsUsername}`);
}

/** Who it runs as; undefined for who started this process. */
export function userOf({
  security: { runAsUser, runAsGroup },
}: ContainerConfig): { readonly uid: number; readonly gid: number } | undefined {
  if (runAsUser === undefined || runAsUser === process.getuid?.()) return undefined;
  return { uid: runAsUser, gid: runAsGroup ?? 0 };
}
