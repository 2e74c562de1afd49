/** The little of a registry of images that pulling needs, by plain HTTP, which is allowed on loopback. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Blob, Image } from "./oci-layout.ts";

export interface Registry extends AsyncDisposable {
  /** Address and port: what the names of its images begin with. */
  readonly host: string;
  /** What an image is called here. */
  name(image: Image): string;
}

export interface RegistryOptions {
  /** `user:password`, where it requires credentials. */
  readonly credentials?: string;
  /** Where it listens. Default: 127.0.0.1 */
  readonly address?: string;
}

/** @see https://github.com/opencontainers/distribution-spec */
export async function startRegistry(
  images: readonly Image[],
  { credentials, address = "127.0.0.1" }: RegistryOptions = {},
): Promise<Registry> {
  const blobs = new Map<string, Blob>();
  for (const { name, manifest, blobs: parts } of images) {
    const [repository, tag] = name.slice(name.indexOf("/") + 1).split(":");
    blobs.set(`/v2/${repository}/manifests/${tag}`, manifest);
    blobs.set(`/v2/${repository}/manifests/${manifest.digest}`, manifest);
    for (const part of parts) blobs.set(`/v2/${repository}/blobs/${part.digest}`, part);
  }
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = createServer((request, response) => {
    // A mirror is told of which registry it is asked for, after a question mark.
    const blob = blobs.get(request.url?.split("?")[0] ?? "");
    if (wanted !== undefined && request.headers.authorization !== wanted)
      return response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
    if (blob === undefined) return response.writeHead(404).end();
    const { bytes } = blob;
    const headers = { "content-type": blob.mediaType, "content-length": bytes.length, "docker-content-digest": blob.digest };
    return response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : bytes);
  });
  server.listen(0, address);
  await once(server, "listening");
  const host = `${address}:${(server.address() as AddressInfo).port}`;
  return {
    host,
    name: ({ name }) => `${host}/${name.slice(name.indexOf("/") + 1)}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
