/** All targets: those of what packages export, and those that stand in packages, beside what only these see. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FuzzTarget } from "../harness/target.ts";
import { apply } from "./apply.ts";
import { cel } from "./cel.ts";
import { auditPolicy, encryptionConfiguration } from "./configurations.ts";
import { http1Bytes } from "./http1-bytes.ts";
import { http2Bytes } from "./http2-bytes.ts";
import { json } from "./json.ts";
import { jsonPath } from "./json-path.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { jsonPatch, mergePatch, strategicPatch } from "./patches.ts";
import { protobuf } from "./protobuf.ts";
import { quantity } from "./quantity.ts";
import { requests } from "./requests.ts";
import { fieldSelector, labelSelector } from "./selectors.ts";
import { storageKeys } from "./storage-keys.ts";
import { yaml } from "./yaml.ts";

const exported: readonly FuzzTarget[] = [
  apply,
  auditPolicy,
  cel,
  encryptionConfiguration,
  requests,
  fieldSelector,
  http1Bytes,
  http2Bytes,
  json,
  jsonPatch,
  jsonPath,
  kubeconfig,
  labelSelector,
  mergePatch,
  protobuf,
  quantity,
  storageKeys,
  strategicPatch,
  yaml,
];

const root = join(import.meta.dirname, "..", "..", "..");

const inPackages = await Promise.all(
  globSync("packages/*/src/**/*.fuzz.ts", { cwd: root })
    .sort()
    .map(async (file) => ((await import(pathToFileURL(join(root, file)).href)) as { readonly target: FuzzTarget }).target),
);

export const targets: readonly FuzzTarget[] = [...exported, ...inPackages].toSorted((a, b) => (a.name < b.name ? -1 : 1));
