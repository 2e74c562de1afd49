/** What a controller of buckets needs of S3, over S3's own protocol: signed requests, XML, its error codes. */
import { createHash } from "node:crypto";
import { AwsClient } from "aws4fetch";

export interface S3 {
  /** Undefined: there is no such bucket. */
  tagsOf(bucket: string): Promise<Tags | undefined>;
  setTags(bucket: string, tags: Tags): Promise<void>;
  createBucket(bucket: string): Promise<void>;
  deleteBucket(bucket: string): Promise<void>;
  putObject(bucket: string, key: string, text: string): Promise<void>;
  deleteObject(bucket: string, key: string): Promise<void>;
  /** The same, but once the signal is aborted nothing is sent any more. */
  until(signal: AbortSignal): S3;
}

export type Tags = Readonly<Record<string, string>>;

/** A refusal; `code` is S3's, such as BucketNotEmpty or SlowDown. */
export class S3Error extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "S3Error";
    this.code = code;
  }
}

export interface S3Options {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Default: over the network. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Called with the work that each request is. */
  readonly track?: <T>(work: Promise<T>) => Promise<T>;
}

export function s3Client({ endpoint, fetch: send = fetch, track = (work) => work, ...keys }: S3Options): S3 {
  const aws = new AwsClient({ ...keys, service: "s3" });
  const exchange = async (method: string, path: string, body?: string, signal?: AbortSignal): Promise<string> => {
    // S3 wants a checksum of some bodies, this among them.
    const headers = body === undefined ? {} : { "content-md5": createHash("md5").update(body).digest("base64") };
    const request = await aws.sign(`${endpoint}/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal && { signal }),
    });
    signal?.throwIfAborted();
    const response = await send(request);
    const text = await response.text();
    if (response.ok) return text;
    throw new S3Error(textIn(text, "Code") ?? `Http${response.status}`, textIn(text, "Message") ?? response.statusText);
  };
  const until = (signal?: AbortSignal): S3 => {
    const ask = (method: string, path: string, body?: string): Promise<string> => track(exchange(method, path, body, signal));
    return requests(ask, keys.region, until);
  };
  return until();
}

function requests(ask: (method: string, path: string, body?: string) => Promise<string>, region: string, until: S3["until"]): S3 {
  return {
    until,
    tagsOf: async (bucket) => {
      try {
        return tagsIn(await ask("GET", `${bucket}?tagging`));
      } catch (error) {
        if (isS3Error(error, "NoSuchTagSet")) return {};
        if (isS3Error(error, "NoSuchBucket")) return undefined;
        throw error;
      }
    },
    setTags: async (bucket, tags) => void (await ask("PUT", `${bucket}?tagging`, taggingOf(tags))),
    // The oldest region is the only one that must not be named.
    createBucket: async (bucket) => void (await ask("PUT", bucket, region === "us-east-1" ? undefined : locationOf(region))),
    deleteBucket: async (bucket) => void (await ask("DELETE", bucket)),
    putObject: async (bucket, key, text) => void (await ask("PUT", `${bucket}/${key}`, text)),
    deleteObject: async (bucket, key) => void (await ask("DELETE", `${bucket}/${key}`)),
  };
}

export const isS3Error = (error: unknown, code: string): boolean => error instanceof S3Error && error.code === code;

const xmlns = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
const locationOf = (region: string): string =>
  `<CreateBucketConfiguration ${xmlns}><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;

const tag = ([key, value]: readonly [string, string]): string =>
  `<Tag><Key>${escapeXml(key)}</Key><Value>${escapeXml(value)}</Value></Tag>`;
export const taggingOf = (tags: Tags): string => `<Tagging ${xmlns}><TagSet>${Object.entries(tags).map(tag).join("")}</TagSet></Tagging>`;

export const tagsIn = (xml: string): Tags =>
  Object.fromEntries(
    Array.from(xml.matchAll(/<Tag>(.*?)<\/Tag>/gs), ([, one = ""]) => [textIn(one, "Key") ?? "", textIn(one, "Value") ?? ""]),
  );

const textIn = (xml: string, element: string): string | undefined => {
  const [, text] = new RegExp(`<${element}>(.*?)</${element}>`, "s").exec(xml) ?? [];
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: keyof typeof entities) => entities[name]);
};
const entities = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
export const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
