/** A containerd that mounts images as volumes, built from its Go module: the one that a distribution has may be older. */
import { join } from "node:path";
import { installed, type Ran, run } from "../../conformance/client-program.ts";
import { binary } from "./why-no-containers.ts";

const module = "github.com/containerd/containerd/v2";
const version = "v2.2.9";
const programs = ["containerd", "containerd-shim-runc-v2", "ctr"];
const buildMs = 30 * 60_000;

export type BuiltContainerd = { readonly program: string } | { readonly missing: string };

/** Takes some minutes the first time, and needs Go. The other programs stand beside it. */
export async function builtContainerd(): Promise<BuiltContainerd> {
  const library = await installed({ name: "containerd", inputs: [version, ...programs], install: build });
  if ("folder" in library) return { program: join(library.folder, "containerd") };
  return binary("go") === undefined ? { missing: "a containerd with image volumes is built with Go, which is not installed" } : library;
}

function build(folder: string): Promise<Ran> {
  const packages = programs.map((name) => `${module}/cmd/${name}@${version}`);
  const env = { GOBIN: folder, GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
  return run("go", ["install", ...packages], { env, timeoutMs: buildMs });
}
