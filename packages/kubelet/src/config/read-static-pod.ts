/**
 * A Pod in a file on the node, made into what the API server would have made of it.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/
 */
import { createHash } from "node:crypto";
import { builtinTypes, createResourceRegistry } from "@coxswain/api";
import { DecodeReport, decodeInto, type KubeObject, parseYaml } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import { hashAnnotation, seenAnnotation, sourceAnnotation } from "../pod/source-annotations.ts";

export interface StaticPodFile {
  readonly text: string;
  readonly path: string;
  readonly nodeName: string;
  /** When the file was first read, as the API writes times. */
  readonly now: string;
}

/** The same file on the same node has the same uid; another content has another. @throws Error when it is no Pod that could run */
export async function readStaticPod({ text, path, nodeName, now }: StaticPodFile): Promise<Pod> {
  const pod = await decode(text);
  const { name = "", namespace = "default", annotations, uid } = pod.metadata ?? {};
  const hash = createHash("md5").update(`host:${nodeName}file:${path}`).update(JSON.stringify(pod)).digest("hex");
  const own = uid === undefined || uid === "" ? hash : uid;
  const made: Pod = {
    ...pod,
    metadata: {
      ...pod.metadata,
      uid: own,
      name: `${name}-${nodeName.toLowerCase()}`,
      namespace: namespace === "" ? "default" : namespace,
      annotations: { ...annotations, [hashAnnotation]: own, [seenAnnotation]: now, [sourceAnnotation]: "file" },
    },
    spec: {
      ...pod.spec,
      containers: pod.spec?.containers ?? [],
      nodeName,
      // It stays whatever becomes of its node: no other node could run it.
      tolerations: [...(pod.spec?.tolerations ?? []), { operator: "Exists", effect: "NoExecute" }],
    },
    status: { phase: "Pending" },
  };
  check(made);
  return made;
}

async function decode(text: string): Promise<Pod> {
  const object = await parseYaml(text);
  if (!isPod(object)) throw new Error("it holds no v1 Pod");
  const type = builtinTypes.get("io.k8s.api.core.v1.Pod");
  if (type?.kind !== "struct") throw new TypeError("there is no type of Pods");
  decodeInto(type, object as Record<string, unknown>, new DecodeReport());
  strategy().defaults?.(object);
  return object;
}

const isPod = (value: unknown): value is KubeObject =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  value.kind === "Pod" &&
  "apiVersion" in value &&
  value.apiVersion === "v1";

function strategy() {
  const definition = createResourceRegistry().find("", "v1", "pods");
  if (definition === undefined) throw new TypeError("there are no Pods");
  return definition.strategy;
}

function check(pod: Pod): void {
  const errors = [...(strategy().validate?.(pod) ?? [])];
  if (errors.length > 0) throw new Error(errors.map(({ field, message }) => `${field}: ${message}`).join("; "));
  const reference = apiReference(pod);
  if (reference !== undefined) throw new Error(`static pods may not reference ${reference}`);
}

/** Kubelets run such Pods where there is no API server: they cannot rely on objects in it. */
function apiReference({ spec }: Pod): string | undefined {
  if (spec === undefined) return undefined;
  if (spec.serviceAccountName !== undefined && spec.serviceAccountName !== "") return "serviceaccounts";
  if ((spec.resourceClaims?.length ?? 0) > 0) return "resourceclaims";
  for (const { configMap, secret, persistentVolumeClaim, projected } of spec.volumes ?? []) {
    if (configMap !== undefined) return "configmaps";
    if (secret !== undefined) return "secrets";
    if (persistentVolumeClaim !== undefined) return "persistentvolumeclaims";
    if (projected !== undefined) return "projected volumes";
  }
  for (const { env = [], envFrom = [] } of [...spec.containers, ...(spec.initContainers ?? [])]) {
    const sources = [
      ...envFrom,
      ...env.map(({ valueFrom = {} }) => ({ configMapRef: valueFrom.configMapKeyRef, secretRef: valueFrom.secretKeyRef })),
    ];
    if (sources.some(({ configMapRef }) => configMapRef !== undefined)) return "configmaps";
    if (sources.some(({ secretRef }) => secretRef !== undefined)) return "secrets";
  }
  return undefined;
}
