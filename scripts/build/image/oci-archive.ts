/** Writes images as an archive that `ctr`, `docker`, `podman` and `skopeo` take. @see https://github.com/opencontainers/image-spec */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { run } from "../executable/platforms.ts";

export interface Image {
  readonly architecture: string;
  /** Uncompressed archives, lowest layer first. */
  readonly layers: readonly Buffer[];
  /** As the specification has `config`. */
  readonly config: object;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const type = (name: string): string => `application/vnd.oci.image.${name}`;

/** One name for images of several processors. `scratch` is an empty folder. */
export function writeArchive(path: string, name: string, images: readonly Image[], scratch: string): void {
  const blobs = join(scratch, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const write = (mediaType: string, content: Buffer | object): Descriptor => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const digest = digestOf(bytes);
    writeFileSync(join(blobs, digest.slice("sha256:".length)), bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const manifests = images.map(({ architecture, layers, config }) => {
    const platform = { architecture, os: "linux" };
    const rootfs = { type: "layers", diff_ids: layers.map(digestOf) };
    const history = layers.map(() => ({ created: "1970-01-01T00:00:00Z", created_by: "coxswain" }));
    return {
      ...write(type("manifest.v1+json"), {
        schemaVersion: 2,
        mediaType: type("manifest.v1+json"),
        config: write(type("config.v1+json"), { ...platform, created: "1970-01-01T00:00:00Z", config, rootfs, history }),
        layers: layers.map((layer) => write(type("layer.v1.tar+gzip"), gzipSync(layer))),
      }),
      platform,
    };
  });
  const index = write(type("index.v1+json"), { schemaVersion: 2, mediaType: type("index.v1+json"), manifests });
  const annotations = { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": name.split(":").at(-1) };
  writeFileSync(join(scratch, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(join(scratch, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [{ ...index, annotations }] }));
  run("tar", [...reproducible, "-cf", path, "oci-layout", "index.json", "blobs"], scratch);
}

/** The same bytes for the same files. */
export const reproducible = ["--sort=name", "--numeric-owner", "--mtime=@0", "--format=gnu"] as const;

const digestOf = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
