/** The images that Kubernetes' end-to-end tests name, made of Debian packages and of programs that Go has built. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { busyboxLayer } from "../../kubelet/containerd/busybox-layer.ts";
import { buildImage, type Image, writeLayout } from "../../kubelet/containerd/oci-layout.ts";
import { binary } from "../../kubelet/containerd/why-no-containers.ts";
import { installed, type Ran, run } from "../client-program.ts";
import type { Suite } from "./suite.ts";

const debian = "bookworm";
const packages = [
  "bash",
  "curl",
  "netcat-openbsd",
  "iproute2",
  "iperf",
  "bind9-dnsutils",
  "util-linux",
  "procps",
  "wget",
  "busybox-static",
  "bash-static",
];
/** What decides what the images hold. */
const sources = ["images.ts", "../../kubelet/containerd/busybox-layer.ts", "../../kubelet/containerd/oci-layout.ts"];
const registry = "registry.k8s.io";
const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** One archive of all; throws what is missing. */
export async function builtImages(suite: Suite): Promise<string> {
  const library = await installed({
    name: "kubernetes-e2e-images",
    inputs: [suite.folder, debian, ...packages, ...sources.map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))],
    install: (folder) => build(folder, suite),
  });
  if ("missing" in library) throw new Error(library.missing);
  return join(library.folder, "layout.tar");
}

async function build(folder: string, suite: Suite): Promise<Ran> {
  const work = mkdtempSync(join(tmpdir(), "coxswain-e2e-images-"));
  try {
    const base = join(work, "base");
    const made = await run("debootstrap", ["--variant=minbase", `--include=${packages.join(",")}`, debian, base], {
      timeoutMs: 20 * 60_000,
    });
    if (made.code !== 0) return made;
    const nginx = join(work, "nginx");
    cpSync(base, nginx, { recursive: true, verbatimSymlinks: true });
    copyFileSync("/etc/resolv.conf", join(nginx, "etc/resolv.conf"));
    const install = "apt-get update && apt-get install --yes --no-install-recommends nginx-light && apt-get clean";
    const added = await run("chroot", [nginx, "sh", "-c", install], { timeoutMs: 10 * 60_000 });
    if (added.code !== 0) return added;
    for (const root of [base, nginx]) rmSync(join(root, "var/lib/apt/lists"), { recursive: true, force: true });
    writeLayout(imagesOf({ work, base, nginx, suite }), join(folder, "layout"));
    rmSync(join(folder, "layout"), { recursive: true });
    return added;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

interface Parts {
  readonly work: string;
  readonly base: string;
  readonly nginx: string;
  readonly suite: Suite;
}

function imagesOf({ work, base, nginx, suite }: Parts): Image[] {
  const built = (name: string): string => join(suite.folder, name);
  const originals = join(suite.source, "test/images");
  const layer = (name: string, files: Readonly<Record<string, string | Buffer>>): string => writeLayer(join(work, name), files);
  const agnhost = layer("agnhost", {
    agnhost: built("agnhost"),
    "uploads/.keep": Buffer.alloc(0),
    "localhost.crt": join(originals, "agnhost/porter/localhost.crt"),
    "localhost.key": join(originals, "agnhost/porter/localhost.key"),
    "etc/passwd": Buffer.from(`${readFileSync(join(base, "etc/passwd"), "utf8")}user-defined-in-image:x:1000:1000::/home:/bin/sh\n`),
    "etc/group": Buffer.from(
      `${readFileSync(join(base, "etc/group"), "utf8")}user-defined-in-image:x:1000:\ngroup-defined-in-image:x:50000:user-defined-in-image\n`,
    ),
  });
  symlinkSync("agnhost", join(agnhost, "agnhost-2"));
  const nnp = layer("nnp", { "usr/local/bin/nnp": built("nnp") });
  chmodSync(join(nnp, "usr/local/bin/nnp"), 0o4755);
  // Specs of image volumes read there what the original is made of.
  const pictures = (name: string): string => {
    const html = join(originals, name, "html");
    const files = Object.fromEntries(readdirSync(html).map((file) => [file, join(html, file)]));
    return layer(name, { ...files, "etc/os-release": Buffer.from('NAME="Alpine Linux"\nID=alpine\n') });
  };
  const busybox = busyboxLayer({ folder: join(work, "busybox"), program: join(base, "bin/busybox") });
  // The shell of Debian's busybox hands on no variable whose name is none to it, as `data-1`, which that of newer ones does.
  rmSync(join(busybox, "bin/sh"));
  copyFileSync(join(base, "bin/bash-static"), join(busybox, "bin/sh"));
  const image = (name: string, layers: readonly string[], more: object = {}): Image =>
    buildImage({ name: `${registry}/${name}`, layers, env: [path], ...more });
  const test = (name: string, layers: readonly string[], more: object = {}): Image => image(`e2e-test-images/${name}`, layers, more);
  return [
    ...["2.63.0", "2.55"].map((tag) => test(`agnhost:${tag}`, [base, agnhost], { entrypoint: ["/agnhost"], cmd: ["pause"] })),
    test("busybox:1.37.0-1", [busybox], { cmd: ["sh"] }),
    test("nonroot:1.5", [busybox], { cmd: ["sh"], user: "1234" }),
    test("nonewprivs:1.4", [base, nnp], { cmd: ["nnp"] }),
    ...["kitten", "nautilus"].map((name) =>
      test(`${name}:1.8`, [base, agnhost, pictures(name)], { entrypoint: ["/agnhost"], cmd: ["test-webserver"] }),
    ),
    test("glibc-dns-testing:2.0.0", [base], { cmd: ["bash"] }),
    test("perl:5.26", [base], { cmd: ["bash"] }),
    test("resource-consumer:1.14", [base, layer("consumer", { consumer: built("consumer") })], { entrypoint: ["/consumer"] }),
    test("sample-apiserver:1.29.2", [base, layer("sample", { "sample-apiserver": built("sample-apiserver") })], {
      entrypoint: ["/sample-apiserver"],
    }),
    ...["1.15-4", "1.27-0"].map((tag) => test(`nginx:${tag}`, [nginx], { cmd: ["nginx", "-g", "daemon off;"] })),
    image("etcd:3.6.8-0", [base, layer("etcd", { "usr/local/bin/etcd": binary("etcd") ?? "etcd" })], { cmd: ["etcd"] }),
    ...["3.6", "3.10.2"].map((tag) => image(`pause:${tag}`, [busybox], { entrypoint: ["/bin/tail", "-f", "/dev/null"] })),
  ];
}

function writeLayer(folder: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [name, content] of Object.entries(files)) {
    const target = join(folder, name);
    mkdirSync(dirname(target), { recursive: true });
    if (typeof content === "string") copyFileSync(content, target);
    else writeFileSync(target, content);
  }
  return folder;
}
