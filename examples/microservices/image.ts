/** The image of the servers, without a registry and without Docker: this Node, the libraries that it needs, and the servers. */
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildImage, writeLayout } from "../../tests/kubelet/containerd/oci-layout.ts";
import { image } from "./manifests.ts";

/** What holds the namespaces of a Pod has only to wait. */
export const pauseImage = "coxswain.example/pause:1";

/** An archive of both images. `folder` is a new one, for what they are made of. */
export function imageArchive(folder: string): string {
  const layer = (name: string): string => join(folder, name);
  copyProgram(layer("pause"), "/bin/sleep");
  copyProgram(layer("node"), process.execPath, "/bin/node");
  mkdirSync(layer("servers"));
  cpSync(join(import.meta.dirname, "servers"), join(layer("servers"), "servers"), { recursive: true });
  const images = [
    buildImage({ name: pauseImage, layers: [layer("pause")], entrypoint: ["/bin/sleep", "infinity"] }),
    buildImage({ name: image, layers: [layer("node"), layer("servers")], entrypoint: ["/bin/node"] }),
  ];
  return writeLayout(images, join(folder, "layout"));
}

/** With the libraries that it is linked with, where it looks for them. */
function copyProgram(root: string, path: string, target = path): void {
  const { stdout } = spawnSync("ldd", [path], { encoding: "utf8" });
  const libraries = stdout.split("\n").flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? []);
  for (const [from, to] of [[path, target], ...libraries.map((library) => [library, library])] as [string, string][]) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(from, join(root, to));
  }
}
