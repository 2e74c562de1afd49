/** Makes the container image without a daemon, a registry or root: a layer of libraries, and one of the executable. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../checks/tree.ts";
import { buildExecutables, executablePath, licencesPath } from "../executable/build-executable.ts";
import { type Platform, run } from "../executable/platforms.ts";
import { type Architecture, debianBase } from "./debian-base.ts";
import { type Image, reproducible, writeArchive } from "./oci-archive.ts";

/** Where the archive stands. */
export const imageDir = join(root, "dist/image");

/** An OCI archive. */
export const imagePath = join(imageDir, "coxswain.tar");

const platformOf = { amd64: "linux-x64", arm64: "linux-arm64" } as const satisfies Record<Architecture, Platform>;

/** This machine's, or those that are named. @throws Error for others than images are made for */
export function chosenArchitectures(names: readonly string[]): readonly Architecture[] {
  const known = Object.keys(platformOf) as Architecture[];
  if (names.includes("all")) return known;
  const own = known.filter((one) => platformOf[one] === `linux-${process.arch}`);
  return names.length === 0
    ? own
    : names.map((name) => {
        const one = known.find((architecture) => architecture === name);
        if (one === undefined) throw new Error(`no image is made for ${name}, only for ${known.join(", ")}`);
        return one;
      });
}

/** Returns what was made, with the executables. @throws Error naming what could not be built */
export async function buildImage(architectures: readonly Architecture[]): Promise<{ readonly name: string; readonly bytes: number }> {
  await buildExecutables(architectures.map((one) => platformOf[one]));
  const { version } = JSON.parse(readFileSync(join(root, "packages/coxswain/package.json"), "utf8")) as { readonly version: string };
  const scratch = mkdtempSync(join(tmpdir(), "coxswain-image-"));
  using _ = { [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
  const images = architectures.map((architecture): Image => {
    const folder = join(scratch, architecture);
    return {
      architecture,
      layers: [archive(debianBase(architecture), `${folder}-base.tar`), commandLayer(platformOf[architecture], folder)],
      config: configuration(version),
    };
  });
  mkdirSync(imageDir, { recursive: true });
  const layout = join(scratch, "layout");
  mkdirSync(layout);
  // As everything that loads images spells it out.
  const name = `docker.io/library/coxswain:${version}`;
  writeArchive(imagePath, name, images, layout);
  return { name, bytes: statSync(imagePath).size };
}

/** The executable and its licences belong to root, what it may write to the user that it runs as. */
function commandLayer(platform: Platform, folder: string): Buffer {
  for (const path of ["usr/bin", "usr/share/doc/coxswain"]) mkdirSync(join(folder, "files", path), { recursive: true });
  cpSync(executablePath(platform), join(folder, "files/usr/bin/coxswain"));
  cpSync(licencesPath(platform), join(folder, "files/usr/share/doc/coxswain/licences"));
  mkdirSync(join(folder, "written/var/lib/coxswain"), { recursive: true });
  chmodSync(join(folder, "written/var/lib/coxswain"), 0o700);
  const file = `${folder}.tar`;
  archive(join(folder, "files"), file);
  const append = [...reproducible, "--no-recursion", "--owner=65532", "--group=65532", "-rf", file];
  run("tar", [...append, "-C", join(folder, "written"), "var/lib/coxswain"], folder);
  return readFileSync(file);
}

function archive(folder: string, file: string): Buffer {
  run("tar", [...reproducible, "--owner=0", "--group=0", "-cf", file, "-C", folder, "."], folder);
  return readFileSync(file);
}

/** What deploy/image/Dockerfile says, too. */
const configuration = (version: string): object => ({
  User: "65532:65532",
  ExposedPorts: { "6443/tcp": {} },
  Env: ["PATH=/usr/bin", "XDG_DATA_HOME=/var/lib"],
  Entrypoint: ["/usr/bin/coxswain"],
  Cmd: ["--address=0.0.0.0"],
  Volumes: { "/var/lib/coxswain": {} },
  WorkingDir: "/",
  StopSignal: "SIGTERM",
  Labels: {
    "org.opencontainers.image.title": "coxswain",
    "org.opencontainers.image.description": "A Kubernetes control plane in one process",
    "org.opencontainers.image.licenses": "Apache-2.0",
    "org.opencontainers.image.version": version,
  },
});
