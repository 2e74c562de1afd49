/** Objects as bytes, in the form that the client asked for. */
import { type KubeObject, type Status, type StatusError, stringifyJson, stringifyYaml } from "@coxswain/machinery";
import type { Reply } from "../contracts/http.ts";
import type { Representation } from "../contracts/representation.ts";
import { bytesReply } from "../http/exchange.ts";
import { contentTypes } from "../negotiation/negotiate.ts";
import { encodeProtobuf } from "../negotiation/protobuf.ts";

const encoder = new TextEncoder();

/** Any object with kind and apiVersion as bytes. JSON ends in a newline unless it is indented, as Kubernetes writes it. */
export async function encode(object: object, representation: Representation): Promise<Uint8Array> {
  switch (representation.encoding) {
    case "json":
      return encoder.encode(representation.indent ? stringifyJson(object, 2) : `${stringifyJson(object)}\n`);
    case "yaml":
      return encoder.encode(await stringifyYaml(object));
    case "protobuf":
      return encodeProtobuf(object as KubeObject);
  }
}

/** A Status as the answer; one with a retry delay says so in its header too. */
export async function replyStatus(status: Status, representation: Representation): Promise<Reply> {
  const code = status.code ?? 200;
  const retryAfter = status.details?.retryAfterSeconds;
  const plain: Representation = { encoding: representation.encoding, shape: { as: "object" }, indent: representation.indent };
  const reply = bytesReply(code, contentTypes[plain.encoding], await encode(status, plain));
  return retryAfter === undefined ? reply : { ...reply, headers: { "retry-after": String(retryAfter) } };
}

export const replyError = (error: StatusError, representation: Representation): Promise<Reply> => replyStatus(error.status, representation);
