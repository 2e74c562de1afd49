/** The images that the tests' Pods use: busybox, and what makes each of them interesting. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { busyboxLayer } from "./busybox-layer.ts";
import { buildImage, type Image } from "./oci-layout.ts";
import { binary } from "./why-no-containers.ts";

export const images = {
  pause: "coxswain.test/pause:1",
  shell: "coxswain.test/shell:1",
  /** Serves its version at port 8080; ends on SIGTERM. */
  web1: "coxswain.test/web:1",
  web2: "coxswain.test/web:2",
  /** Says a word and ends with 3. */
  crash: "coxswain.test/crash:1",
  /** Takes memory until it is stopped. */
  hog: "coxswain.test/hog:1",
  /** Does not end on SIGTERM. */
  stubborn: "coxswain.test/stubborn:1",
  /** Runs as user 1000. */
  user: "coxswain.test/user:1",
} as const;

/** @param folder a new one, for what the layers are made of */
export function buildImages(folder: string): Image[] {
  const program = binary("busybox");
  if (program === undefined) throw new Error("busybox is not installed");
  const base = busyboxLayer({ folder: join(folder, "busybox"), program, users: { worker: 1000 } });
  const web = (version: string) => [base, fileLayer(join(folder, `web-${version}`), "www/index.html", `version ${version}\n`)];
  const serve = ["/bin/sh", "-c", "trap 'kill $!; exit 0' TERM; httpd -f -p 8080 -h /www & wait"];
  return [
    buildImage({ name: images.pause, layers: [base], entrypoint: ["/bin/tail", "-f", "/dev/null"] }),
    buildImage({ name: images.shell, layers: [base], cmd: ["/bin/sh"] }),
    buildImage({ name: images.web1, layers: web("1"), entrypoint: serve }),
    buildImage({ name: images.web2, layers: web("2"), entrypoint: serve }),
    buildImage({ name: images.crash, layers: [base], entrypoint: ["/bin/sh", "-c", "echo crashing; exit 3"] }),
    buildImage({ name: images.hog, layers: [base], entrypoint: ["/bin/tail", "/dev/zero"] }),
    buildImage({
      name: images.stubborn,
      layers: [base],
      entrypoint: ["/bin/sh", "-c", "trap 'echo no' TERM; while :; do sleep 1 & wait; done"],
    }),
    buildImage({ name: images.user, layers: [base], entrypoint: ["/bin/sh", "-c", "id; exec sleep 3600"], user: "1000:1000" }),
  ];
}

function fileLayer(folder: string, path: string, content: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
  return folder;
}
