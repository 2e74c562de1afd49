/** The little of a registry of images that pulling needs, on loopback, where plain HTTP is allowed. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Blob, Image } from "./oci-layout.ts";

export interface Registry extends AsyncDisposable {
  /** `127.0.0.1:port`, what the names of its images begin with. */
  readonly host: string;
  /** What an image is called here. */
  name(image: Image): string;
}

export interface RegistryOptions {
  /** `user:password`, where it requires credentials. */
  readonly credentials?: string;
}

/** @see https://github.com/opencontainers/distribution-spec */
export async function startRegistry(images: readonly Image[], { credentials }: RegistryOptions = {}): Promise<Registry> {
  const blobs = new Map<string, Blob>();
  for (const { name, manifest, blobs: parts } of images) {
    const [repository, tag] = name.slice(name.indexOf("/") + 1).split(":");
    blobs.set(`/v2/${repository}/manifests/${tag}`, manifest);
    blobs.set(`/v2/${repository}/manifests/${manifest.digest}`, manifest);
    for (const part of parts) blobs.set(`/v2/${repository}/blobs/${part.digest}`, part);
  }
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = createServer((request, response) => {
    const blob = blobs.get(request.url ?? "");
    if (wanted !== undefined && request.headers.authorization !== wanted)
      return response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
    if (blob === undefined) return response.writeHead(404).end();
    const headers = { "content-type": blob.mediaType, "content-length": blob.bytes.length, "docker-content-digest": blob.digest };
    return response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : blob.bytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    name: ({ name }) => `${host}/${name.slice(name.indexOf("/") + 1)}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
