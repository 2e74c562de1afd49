/** The protobuf side of bodies and answers. */
import { type KubeObject, unsupportedMediaType } from "@coxswain/machinery";
import type { ServedResource } from "./registry/served-resource.ts";

export function decodeProtobuf(_bytes: Uint8Array, _resource: ServedResource | string): KubeObject {
  throw unsupportedMediaType(["application/json", "application/yaml"]);
}

export function encodeProtobuf(_object: KubeObject): Uint8Array {
  throw unsupportedMediaType(["application/json", "application/yaml"]);
}

export function frameWatchEvent(_type: string, _object: Uint8Array): Uint8Array {
  throw unsupportedMediaType(["application/json", "application/yaml"]);
}
