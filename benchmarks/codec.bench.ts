/**
 * What one object costs on its way in and out: parsing, decoding by its type and printing JSON, and protobuf both ways.
 * Prints one JSON line per measurement; the argument is how many rounds (50,000 unless given).
 */
import { builtinTypes, wireFacts } from "@coxswain/api";
import { createProtobufCodec, DecodeReport, decodeInto, parseJson, parseYaml, stringifyJson, stringifyYaml } from "@coxswain/machinery";

const rounds = Number(process.argv[2] ?? 50_000);
const codec = createProtobufCodec(builtinTypes, wireFacts);

const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "default", labels: { app: "web" } },
  data: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`setting-${i}`, `the value of setting number ${i}, all of it`])),
};

const container = (name: string) => ({
  name,
  image: `registry.example.com/${name}:1.2.3`,
  ports: [{ containerPort: 8080, protocol: "TCP" }],
  env: Array.from({ length: 6 }, (_, i) => ({ name: `SETTING_${i}`, value: `value ${i}` })),
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "500m", memory: "256Mi" } },
  livenessProbe: { httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" }, periodSeconds: 10 },
  readinessProbe: { httpGet: { path: "/ready", port: "http", scheme: "HTTP" }, periodSeconds: 5 },
  volumeMounts: [{ name: "config", mountPath: "/etc/config" }],
});
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", labels: { app: "web" }, annotations: { "deployment.kubernetes.io/revision": "3" } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [container("web"), container("sidecar")], volumes: [{ name: "config", configMap: { name: "settings" } }] },
    },
  },
};

for (const object of [configMap, deployment]) {
  const type = codec.typeOf(object.apiVersion, object.kind);
  if (type === undefined) throw new Error(`no type for ${object.kind}`);
  const text = JSON.stringify(object);
  const json = new TextEncoder().encode(text);
  const decode = (input: string | Uint8Array): Record<string, unknown> => {
    const parsed = parseJson(input) as Record<string, unknown>;
    decodeInto(type, parsed, new DecodeReport());
    return parsed;
  };
  const decoded = decode(json);
  const protobuf = codec.encode(type, decoded);
  await measure({ kind: object.kind, name: "JSON.parse alone", bytes: text.length }, () => JSON.parse(text));
  await measure({ kind: object.kind, name: "parse", bytes: json.length }, () => parseJson(json));
  await measure({ kind: object.kind, name: "parse and decode", bytes: json.length }, () => decode(json));
  await measure({ kind: object.kind, name: "stringify", bytes: json.length }, () => stringifyJson(decoded));
  await measure({ kind: object.kind, name: "protobuf decode", bytes: protobuf.length }, () => codec.decode(protobuf));
  await measure({ kind: object.kind, name: "protobuf encode", bytes: protobuf.length }, () => codec.encode(type, decoded));
  const yaml = await stringifyYaml(object);
  await measure({ kind: object.kind, name: "yaml parse", bytes: yaml.length }, () => parseYaml(yaml), rounds / 20);
}

/** The best of ten batches by CPU time, so that a busy machine disturbs little. */
interface Measured {
  readonly kind: string;
  readonly name: string;
  readonly bytes: number;
}

async function measure({ kind, name, bytes }: Measured, run: () => unknown, times = rounds): Promise<void> {
  const batch = Math.ceil(times / 10);
  let micros = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 12; n++) {
    const start = process.cpuUsage();
    for (let i = 0; i < batch; i++) {
      const result = run();
      if (result instanceof Promise) await result;
    }
    const { user, system } = process.cpuUsage(start);
    if (n >= 2) micros = Math.min(micros, (user + system) / batch);
  }
  const round = (value: number): number => Number(value.toPrecision(3));
  process.stdout.write(`${JSON.stringify({ kind, name, bytes, cpuMicros: round(micros), megabytesPerSecond: round(bytes / micros) })}\n`);
}
