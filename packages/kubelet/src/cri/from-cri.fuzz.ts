/** Answers of a container runtime, as they are after their protobuf was read: whatever they say, the kubelet's own types come of it. */
import assert from "node:assert/strict";
import { type Grammar, textFrom } from "../../../../tests/fuzz/harness/grammar.ts";
import type { FuzzTarget } from "../../../../tests/fuzz/harness/target.ts";
import { milliseconds, toContainerStatus, toImageInfo, toRuntimeStatus, toSandboxStatus } from "./from-cri.ts";
import type { ContainerStatusMessage, ImageMessage, PodSandboxStatusMessage, StatusResponseMessage } from "./messages/received.ts";

const grammar: Grammar = {
  answer: ['{"container":{<container>},"sandbox":{<sandbox>},"image":{<image>},"runtime":{<runtime>}}'],
  container: [
    '"id":<text>,"metadata":<metadata>,"state":<state>,"createdAt":<number>,"exitCode":<number>,"labels":<labels>,"image":<spec>,"resources":<resources>,"mounts":[<mounts>]',
  ],
  sandbox: ['"id":<text>,"metadata":<metadata>,"state":<state>,"createdAt":<number>,"labels":<labels>,"network":<network>'],
  image: ['"id":<text>,"repoTags":[<text>],"size":<number>,"uid":<uid>,"username":<text>'],
  runtime: ['"status":<conditions>,"runtimeHandlers":[<handlers>],"features":<features>'],
  metadata: ["null", '{"name":<text>,"attempt":<number>,"uid":<text>,"namespace":<text>}'],
  state: ['"CONTAINER_RUNNING"', '"CONTAINER_EXITED"', '"SANDBOX_READY"', '"CONTAINER_UNKNOWN"', '"constructor"', '"__proto__"', "7"],
  number: ["0", "1", "-1", "1e18", "9007199254740993", "-1e300"],
  text: ['""', '"a"', '"constructor"', '"\\u0000"', '"é"', '"sha256:0"'],
  labels: [
    "{}",
    '{"io.kubernetes.pod.uid":<text>,"io.kubernetes.pod.name":<text>,"io.kubernetes.pod.namespace":<text>}',
    '{"__proto__":<text>}',
  ],
  spec: ["null", '{"image":<text>}'],
  resources: [
    "null",
    '{"linux":null}',
    '{"linux":{"cpuShares":<number>,"cpuQuota":<number>,"memoryLimitInBytes":<number>,"hugepageLimits":[],"unified":{}}}',
  ],
  mounts: [
    "",
    '{"containerPath":<text>,"hostPath":<text>,"image":null}',
    '{"containerPath":<text>,"hostPath":<text>,"image":{"image":<text>}}',
  ],
  network: ["null", '{"ip":<text>,"additionalIps":[{"ip":<text>}]}'],
  uid: ["null", '{"value":<number>}'],
  conditions: ["null", '{"conditions":[{"type":"RuntimeReady","status":true,"reason":<text>,"message":<text>}]}', '{"conditions":[]}'],
  handlers: ["", '{"name":<text>,"features":null}', '{"name":<text>,"features":{"recursiveReadOnlyMounts":true,"userNamespaces":false}}'],
  features: ["null", '{"supplementalGroupsPolicy":true}'],
};

/** All that protobuf fills in where an answer is silent. */
const container = {
  id: "",
  metadata: null,
  state: "CONTAINER_UNKNOWN",
  createdAt: 0,
  startedAt: 0,
  finishedAt: 0,
  exitCode: 0,
  image: null,
  imageRef: "",
};
const alsoOfContainers = { reason: "", message: "", labels: {}, annotations: {}, mounts: [], logPath: "", resources: null, user: null };
const mount = { containerPath: "", hostPath: "", image: null };
const sandbox = {
  id: "",
  metadata: null,
  state: "SANDBOX_NOTREADY",
  createdAt: 0,
  network: null,
  labels: {},
  annotations: {},
  runtimeHandler: "",
};
const image = { id: "", repoTags: [], repoDigests: [], size: 0, uid: null, username: "", pinned: false };
const runtime = { status: null, runtimeHandlers: [], features: null };

const states = ["created", "running", "exited", "unknown"];

export const target: FuzzTarget = {
  name: "cri-answers",
  modules: ["kubelet/src/cri/from-cri.ts", "kubelet/src/runtime"],
  dictionary: ["null", "{}", "[]", '"constructor"', "1e18", '"CONTAINER_RUNNING"', '"labels":{}'],
  seeds: ['{"container":{"id":"a","state":"CONTAINER_RUNNING"},"sandbox":{"state":"SANDBOX_READY"},"image":{"id":"x"},"runtime":{}}'],
  generate: (random) => textFrom(grammar, "answer", random),
  judge(input) {
    const answer = answerOf(input);
    if (answer === undefined) return false;
    const status = toContainerStatus({ ...container, ...alsoOfContainers, ...answer.container } as unknown as ContainerStatusMessage, "s");
    assert.ok(states.includes(status.state), `a container is ${status.state}`);
    const { ready, ips } = toSandboxStatus({ ...sandbox, ...answer.sandbox } as unknown as PodSandboxStatusMessage);
    assert.equal(typeof ready, "boolean");
    assert.ok(ips.every((ip) => ip !== ""));
    assert.equal(typeof toImageInfo({ ...image, ...answer.image } as unknown as ImageMessage).pinned, "boolean");
    assert.equal(typeof toRuntimeStatus({ ...runtime, ...answer.runtime } as unknown as StatusResponseMessage).message, "string");
    assert.equal(typeof milliseconds(status.createdAt), "number");
    return true;
  },
};

interface Answer {
  readonly container: object;
  readonly sandbox: object;
  readonly image: object;
  readonly runtime: object;
}

/** Only members of the types that protobuf gives: what is of another cannot come. */
function answerOf(input: string): Answer | undefined {
  try {
    const { container: one, sandbox: two, image: three, runtime: four } = JSON.parse(input, sameType);
    return [one, two, three, four].every(isMessage) ? { container: one, sandbox: two, image: three, runtime: four } : undefined;
  } catch {
    return undefined;
  }
}

/** Repeated fields and maps are there, if empty. */
const nested: Readonly<Record<string, readonly string[]>> = {
  network: ["additionalIps"],
  linux: ["hugepageLimits", "unified"],
  status: ["conditions"],
};

const isWhole = (key: string, value: object): boolean =>
  (nested[key] ?? []).every((member) => {
    const given = (value as Record<string, unknown>)[member];
    return member === "unified" ? isMessage(given) : Array.isArray(given) && given.every(isMessage);
  });

const isMessage = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const model: Readonly<Record<string, unknown>> = { ...container, ...alsoOfContainers, ...sandbox, ...image, ...runtime, state: "" };
const messages = new Set(["metadata", "image", "resources", "user", "network", "uid", "status", "features", "linux"]);

function sameType(key: string, value: unknown): unknown {
  if (["mounts", "runtimeHandlers"].includes(key)) {
    if (!Array.isArray(value) || !value.every(isMessage)) fail(key);
    return key === "mounts" ? value.map((one) => ({ ...mount, ...one })) : value;
  }
  if (["container", "sandbox", "runtime"].includes(key) || (!Object.hasOwn(model, key) && !messages.has(key))) return value;
  const wanted = model[key];
  if (messages.has(key)) return value === null || (isMessage(value) && isWhole(key, value as object)) ? value : fail(key);
  return typeof value === typeof wanted && Array.isArray(value) === Array.isArray(wanted) && value !== null ? value : fail(key);
}

function fail(key: string): never {
  throw new Error(`${key} has another type`);
}
