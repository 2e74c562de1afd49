/** A registry of the suite's images, to which all nodes are led: what is pulled by the policy Always is pulled from there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { readLayout } from "../../kubelet/containerd/oci-layout.ts";
import { isNetworkPrivate } from "../../kubelet/containerd/private-network.ts";
import { startRegistry } from "../../kubelet/containerd/registry.ts";

/** No machine has it; nodes reach it by their default route. @see https://www.rfc-editor.org/rfc/rfc5737 */
const address = "192.0.2.1";
/** Where containerd reads how registries are reached. */
const settings = "/etc/containerd";

/** Address and settings are those of this process' network and mounts alone, and end with it. */
export async function serveImages(archive: string): Promise<AsyncDisposable> {
  assert.ok(isNetworkPrivate(), "it changes network and mounts");
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "coxswain-e2e-registry-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  run("tar", "-xf", archive, "-C", folder);
  run("ip", "address", "add", `${address}/32`, "dev", "lo");
  const images = readLayout(folder);
  const served = stack.use(await startRegistry(images, { address }));
  mkdirSync(settings, { recursive: true });
  run("mount", "-t", "tmpfs", "tmpfs", settings);
  for (const registry of new Set(images.map(({ name }) => name.split("/")[0] ?? ""))) {
    const hosts = join(settings, "certs.d", registry);
    mkdirSync(hosts, { recursive: true });
    writeFileSync(join(hosts, "hosts.toml"), `server = "http://${served.host}"\n`);
  }
  return stack.move();
}

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 0, `${program} ${args.join(" ")}: ${stderr}`);
}
