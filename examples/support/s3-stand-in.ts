/**
 * A stand-in for S3, as far as buckets go: its paths, signatures, XML and error codes, in memory. It is no object store:
 * objects have names and nothing in them.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AwsV4Signer } from "aws4fetch";
import { escapeXml, type Tags, taggingOf, tagsIn } from "./s3.ts";

export interface Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface StoredBucket {
  readonly owner: string;
  readonly objects: Set<string>;
  tags: Tags | undefined;
}

export class S3StandIn {
  readonly buckets = new Map<string, StoredBucket>();
  readonly region: string;
  readonly #accounts: ReadonlyMap<string, string>;

  constructor({ region, accounts }: { readonly region: string; readonly accounts: readonly Account[] }) {
    this.region = region;
    this.#accounts = new Map(accounts.map(({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey]));
  }

  /** Answers in process. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const body = await request.text();
    const user = await this.#signedBy(request, body);
    if (user === undefined) return refusal(403, "SignatureDoesNotMatch", "The request signature does not match.");
    const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
    const answer = this.#answer({ method: request.method, bucket, key, tagging: searchParams.has("tagging"), user, body });
    // An answer to HEAD has no body, not even for an error.
    return request.method === "HEAD" ? new Response(null, { status: answer.status }) : answer;
  };

  /** Answers on a port of the loopback address. */
  async listen(): Promise<AsyncDisposable & { readonly endpoint: string }> {
    const server = createServer(async (request, response) => {
      const url = `http://${request.headers.host}${request.url}`;
      const chunks: Uint8Array[] = await Array.fromAsync(request);
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      const answer = await this.fetch(
        new Request(url, { method: request.method ?? "GET", headers: request.headersDistinct as never, ...body }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
    };
  }

  #answer(request: Asked): Response {
    const { method, bucket: name, key, tagging } = request;
    if (name === "")
      return method === "GET"
        ? xml(200, this.#listing(request.user))
        : refusal(405, "MethodNotAllowed", "The specified method is not allowed.");
    if (method === "PUT" && key === "" && !tagging) return this.#create(request);
    const bucket = this.buckets.get(name);
    if (bucket === undefined) return refusal(404, "NoSuchBucket", "The specified bucket does not exist");
    if (bucket.owner !== request.user) return refusal(403, "AccessDenied", "Access Denied");
    if (key !== "") return changeObject(bucket, method, key);
    if (tagging) return changeTags(bucket, request);
    if (method === "HEAD") return new Response(null, { status: 200 });
    if (method !== "DELETE") return refusal(405, "MethodNotAllowed", "The specified method is not allowed.");
    if (bucket.objects.size > 0) return refusal(409, "BucketNotEmpty", "The bucket you tried to delete is not empty");
    this.buckets.delete(name);
    return new Response(null, { status: 204 });
  }

  #create({ bucket: name, user }: Asked): Response {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) return refusal(400, "InvalidBucketName", "The specified bucket is not valid.");
    const existing = this.buckets.get(name);
    if (existing === undefined) this.buckets.set(name, { owner: user, objects: new Set(), tags: undefined });
    else if (existing.owner !== user) return refusal(409, "BucketAlreadyExists", "The requested bucket name is not available.");
    // S3's oldest region alone answers as if the bucket were new.
    else if (this.region !== "us-east-1")
      return refusal(409, "BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded and you already own it.");
    return new Response(null, { status: 200, headers: { location: `/${name}` } });
  }

  #listing(user: string): string {
    const own = [...this.buckets]
      .filter(([, { owner }]) => owner === user)
      .map(([name]) => `<Bucket><Name>${escapeXml(name)}</Name></Bucket>`);
    return `<ListAllMyBucketsResult><Owner><ID>${escapeXml(user)}</ID></Owner><Buckets>${own.join("")}</Buckets></ListAllMyBucketsResult>`;
  }

  /** Whose key the request is signed with, by AWS Signature Version 4. */
  async #signedBy({ method, url, headers }: Request, body: string): Promise<string | undefined> {
    const authorization = headers.get("authorization") ?? "";
    const [, accessKeyId = "", signed = ""] = /Credential=([^/]+)\/.*SignedHeaders=([^,]+)/.exec(authorization) ?? [];
    const secretAccessKey = this.#accounts.get(accessKeyId);
    if (secretAccessKey === undefined) return undefined;
    const kept = signed
      .split(";")
      .filter((name) => name !== "host")
      .map((name) => [name, headers.get(name) ?? ""] as const);
    const again = new AwsV4Signer({
      method,
      url,
      headers: Object.fromEntries(kept),
      body: body === "" ? null : body,
      accessKeyId,
      secretAccessKey,
      region: this.region,
      service: "s3",
      datetime: headers.get("x-amz-date") ?? "",
    });
    return (await again.authHeader()) === authorization ? accessKeyId : undefined;
  }
}

interface Asked {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly tagging: boolean;
  readonly user: string;
  readonly body: string;
}

function changeTags(bucket: StoredBucket, { method, body }: Asked): Response {
  if (method === "GET")
    return bucket.tags === undefined ? refusal(404, "NoSuchTagSet", "The TagSet does not exist") : xml(200, taggingOf(bucket.tags));
  bucket.tags = method === "PUT" ? tagsIn(body) : undefined;
  return new Response(null, { status: 204 });
}

function changeObject({ objects }: StoredBucket, method: string, key: string): Response {
  if (method === "PUT") objects.add(key);
  if (method === "DELETE") objects.delete(key);
  return new Response(null, { status: method === "DELETE" ? 204 : 200 });
}

const xml = (status: number, text: string): Response =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`, { status, headers: { "content-type": "application/xml" } });

/** As S3 refuses, or says that it has too much to do: 503 with SlowDown. */
export const refusal = (status: number, code: string, message: string): Response =>
  xml(status, `<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message><RequestId>0</RequestId></Error>`);
