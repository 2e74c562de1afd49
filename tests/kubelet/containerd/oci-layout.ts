/** Images without a registry: an OCI image layout, made of folders. @see https://github.com/opencontainers/image-spec */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ImageSource {
  /** With its tag. */
  readonly name: string;
  /** Folders, lowest layer first. */
  readonly layers: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly user?: string;
  readonly env?: readonly string[];
}

export interface Blob {
  readonly digest: string;
  readonly bytes: Buffer;
  readonly mediaType: string;
}

export interface Image {
  readonly name: string;
  readonly manifest: Blob;
  /** Of its configuration and its layers. */
  readonly blobs: readonly Blob[];
}

export function buildImage({ name, layers, entrypoint, cmd, user, env }: ImageSource): Image {
  const archives = layers.map(layerOf);
  const config = json("application/vnd.oci.image.config.v1+json", {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config: {
      Env: env?.some((one) => one.startsWith("PATH=")) === true ? env : ["PATH=/bin", ...(env ?? [])],
      ...(entrypoint === undefined ? {} : { Entrypoint: entrypoint }),
      ...(cmd === undefined ? {} : { Cmd: cmd }),
      ...(user === undefined ? {} : { User: user }),
    },
    rootfs: { type: "layers", diff_ids: archives.map(({ digest }) => digest) },
  });
  const manifest = json("application/vnd.oci.image.manifest.v1+json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: descriptor(config),
    layers: archives.map(descriptor),
  });
  return { name, manifest, blobs: [config, ...archives] };
}

/** All in one archive, as `ctr images import` takes it. */
export function writeLayout(images: readonly Image[], folder: string): string {
  const blobs = join(folder, "blobs", "sha256");
  mkdirSync(blobs, { recursive: true });
  for (const blob of images.flatMap(({ manifest, blobs }) => [manifest, ...blobs]))
    writeFileSync(join(blobs, blob.digest.slice("sha256:".length)), blob.bytes);
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  const manifests = images.map(({ name, manifest }) => ({
    ...descriptor(manifest),
    annotations: { [imageName]: name, "org.opencontainers.image.ref.name": name.split(":").at(-1) },
  }));
  writeFileSync(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests }));
  const archive = `${folder}.tar`;
  tar(["-cf", archive, "-C", folder, "."]);
  return archive;
}

type Descriptor = Pick<Blob, "digest" | "mediaType">;

/** What `writeLayout` has written. What the images hold is read when it is wanted: all of it may be more than memory has room for. */
export function readLayout(folder: string): Image[] {
  const read = <T>(file: string): T => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const pathOf = ({ digest }: Descriptor): string => join("blobs", "sha256", digest.slice("sha256:".length));
  const blob = ({ digest, mediaType }: Descriptor): Blob => ({
    digest,
    mediaType,
    get bytes() {
      return readFileSync(join(folder, pathOf({ digest, mediaType })));
    },
  });
  const { manifests } = read<{ manifests: (Descriptor & { annotations: Record<string, string> })[] }>("index.json");
  return manifests.map((manifest) => {
    const { config, layers } = read<{ config: Descriptor; layers: Descriptor[] }>(pathOf(manifest));
    return { name: manifest.annotations[imageName] ?? "", manifest: blob(manifest), blobs: [config, ...layers].map(blob) };
  });
}

const imageName = "io.containerd.image.name";
const layers = new Map<string, Blob>();

function layerOf(folder: string): Blob {
  const known = layers.get(folder);
  if (known !== undefined) return known;
  const bytes = tar(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "-C", folder, "-cf", "-", "."]);
  const layer = { digest: digestOf(bytes), bytes, mediaType: "application/vnd.oci.image.layer.v1.tar" };
  layers.set(folder, layer);
  return layer;
}

function tar(args: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync("tar", args, { maxBuffer: 1024 * 1024 * 1024 });
  if (status !== 0) throw new Error(`tar ${args.join(" ")}: ${stderr.toString()}`);
  return stdout;
}

function json(mediaType: string, value: object): Blob {
  const bytes = Buffer.from(JSON.stringify(value));
  return { digest: digestOf(bytes), bytes, mediaType };
}

function descriptor({ digest, bytes, mediaType }: Blob): object {
  return { mediaType, digest, size: bytes.length };
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
