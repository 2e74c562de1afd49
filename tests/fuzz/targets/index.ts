/** All targets. */
import type { FuzzTarget } from "../harness/target.ts";
import { cel } from "./cel.ts";
import { json } from "./json.ts";
import { jsonPath } from "./json-path.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { jsonPatch, mergePatch, strategicPatch } from "./patches.ts";
import { protobuf } from "./protobuf.ts";
import { quantity } from "./quantity.ts";
import { fieldSelector, labelSelector } from "./selectors.ts";
import { websocketWatch } from "./websocket.ts";
import { yaml } from "./yaml.ts";

export const targets: readonly FuzzTarget[] = [
  cel,
  fieldSelector,
  json,
  jsonPatch,
  jsonPath,
  kubeconfig,
  labelSelector,
  mergePatch,
  protobuf,
  quantity,
  strategicPatch,
  websocketWatch,
  yaml,
];
