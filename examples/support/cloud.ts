/** The cloud of the examples: a stand-in in this process or, with S3_ENDPOINT, whatever speaks S3 there. */
import type { Clock } from "@coxswain/client";
import { VirtualClock } from "coxswain/testing";
import { type S3, s3Client } from "./s3.ts";
import { refusal, S3StandIn } from "./s3-stand-in.ts";

export interface Cloud {
  readonly s3: S3;
  /** How often the controller looks what became of a bucket: on a virtual clock, minutes pass at once. */
  readonly resyncMs: number;
  /** Names of buckets are global. */
  nameOf(name: string): string;
  /** Lets the next requests fail with this code. Returns when they came, and when the first came that did not fail. */
  failNext(times: number, code: string): readonly number[];
}

export const cloudIsReal = (): boolean => Boolean(process.env.S3_ENDPOINT);

/** What may happen between us and the cloud. */
export type Meddle = (request: Request, pass: (request: Request) => Promise<Response>) => Promise<Response>;

export async function openCloud(clock: Clock, meddle: Meddle = (request, pass) => pass(request)): Promise<Cloud> {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId = "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: secretAccessKey = "secret",
    AWS_REGION: region = "eu-central-1",
  } = process.env;
  const real = process.env.S3_ENDPOINT;
  const target = real ? fetch : new S3StandIn({ region, accounts: [{ accessKeyId, secretAccessKey }] }).fetch;
  let failures: { left: number; readonly code: string; readonly at: number[] } | undefined;
  const send = async (request: Request): Promise<Response> => {
    failures?.at.push(clock.now());
    if (failures !== undefined && failures.left-- > 0) return refusal(503, failures.code, "Please reduce your request rate.");
    failures = undefined;
    return await meddle(request, target);
  };
  const suffix = real ? `-${clock.now().toString(36)}` : "";
  return {
    s3: s3Client({
      endpoint: real || "http://s3.example",
      region,
      accessKeyId,
      secretAccessKey,
      fetch: send,
      // Otherwise hours would pass while a signature is computed.
      track: (work) => (clock instanceof VirtualClock ? clock.track(work, { neverWaits: true }) : work),
    }),
    resyncMs: clock instanceof VirtualClock ? 60_000 : 1_000,
    nameOf: (name) => `${name}${suffix}`,
    failNext: (left, code) => {
      failures = { left, code, at: [] };
      return failures.at;
    },
  };
}
