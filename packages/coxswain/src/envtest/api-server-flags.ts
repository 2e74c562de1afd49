/** The flags of kube-apiserver 1.36: which are heeded here, which make no difference to a client, and which cannot be had. */
import type { Log } from "@coxswain/apiserver";
import { auditFlags } from "../options/audit-options.ts";
import { StartError } from "../process/start-error.ts";
import { type FlagNames, type Flags, lastOf } from "./parse-flags.ts";

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Those that take a value and are heeded. */
const heeded = [
  ...auditFlags.values,
  ...words(`
  admission-control-config-file advertise-address api-audiences authentication-config authentication-token-webhook-cache-ttl
  authentication-token-webhook-config-file authentication-token-webhook-version oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix
  oidc-issuer-url oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix
  authorization-config authorization-mode authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
  authorization-webhook-config-file authorization-webhook-version bind-address cert-dir client-ca-file disable-admission-plugins
  enable-admission-plugins max-mutating-requests-inflight max-requests-inflight requestheader-allowed-names requestheader-client-ca-file
  requestheader-extra-headers-prefix goaway-chance http2-max-streams-per-connection livez-grace-period min-request-timeout request-timeout
  shutdown-delay-duration proxy-client-cert-file proxy-client-key-file
  requestheader-group-headers requestheader-uid-headers requestheader-username-headers secure-port service-account-issuer service-account-signing-key-file service-cluster-ip-range
  service-node-port-range
  tls-cert-file
  tls-private-key-file token-auth-file v
`),
];

const heededBooleans = [
  "aggregator-reject-forwarding-redirect",
  ...auditFlags.booleans,
  "anonymous-auth",
  "enable-aggregator-routing",
  "enable-bootstrap-token-auth",
  "enable-priority-and-fairness",
  "shutdown-send-retry-after",
];

/** State in memory needs no storage, a test no limits, and logs have one form. */
const ignored = words(`
  admission-control allow-metric-labels allow-metric-labels-manifest apiserver-count
  coordinated-leadership-lease-duration
  coordinated-leadership-renew-deadline coordinated-leadership-retry-period debug-socket-path
  default-not-ready-toleration-seconds default-unreachable-toleration-seconds default-watch-cache-size
  delete-collection-workers disabled-metrics emulated-version encryption-provider-config endpoint-reconciler-type
  etcd-cafile etcd-certfile etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval
  etcd-healthcheck-timeout etcd-keyfile etcd-prefix etcd-readycheck-timeout etcd-servers etcd-servers-overrides
  event-ttl external-hostname feature-gates
  kubelet-certificate-authority kubelet-client-certificate kubelet-client-key kubelet-port
  kubelet-preferred-address-types kubelet-read-only-port kubelet-timeout kubernetes-service-node-port
  lease-reuse-duration-seconds log-flush-frequency log-text-info-buffer-size logging-format
  max-connection-bytes-per-sec min-compatibility-version
  peer-advertise-ip peer-advertise-port peer-ca-file
  runtime-config
  service-account-jwks-uri service-account-key-file service-account-max-token-expiration
  show-hidden-metrics-for-version
  shutdown-watch-termination-grace-period storage-backend storage-initialization-timeout storage-media-type
  strict-transport-security-directives tls-cipher-suites tls-curve-preferences tls-min-version tracing-config-file
  vmodule watch-cache-sizes
`);

const ignoredBooleans = words(`
  allow-privileged contention-profiling
  disable-http2-serving emulation-forward-compatible enable-garbage-collector
  enable-logs-handler encryption-provider-config-automatic-reload log-text-split-stream
  permit-address-sharing permit-port-sharing profiling runtime-config-emulation-forward-compatible
  service-account-extend-token-expiration service-account-lookup watch-cache
`);

/** Flags of earlier versions, which old suites still pass. envtest must not find `insecure-port` in the help. */
const gone = words("cloud-config cloud-provider insecure-bind-address insecure-port master-service-namespace target-ram-mb");
const goneBooleans = ["enable-swagger-ui", "kubelet-https"];

/** What is asked for by a flag and is not there. */
const refused: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "authorization-policy-file": "there is no ABAC",
  "cors-allowed-origins": "pages of other origins are not let in",
  "egress-selector-config-file": "connections are made directly",
  "service-account-signing-endpoint": "tokens are signed with a key in a file",
  "tls-sni-cert-key": "there is one serving certificate",
};

const booleans = new Set([...heededBooleans, ...ignoredBooleans, ...goneBooleans, "help", "version"]);
const values = new Set([...heeded, ...ignored, ...gone, ...Object.keys(refused)]);

/** Which flags there are. `-h` and `-v` are the only short ones. */
export const apiServerFlagNames: FlagNames = {
  kindOf: (name) => (booleans.has(name) ? "boolean" : values.has(name) ? "value" : undefined),
};

/** As kube-apiserver's, a flag a line: envtest looks in it for what it may pass. */
export function apiServerHelp(): string {
  const past = new Set([...gone, ...goneBooleans]);
  const line = (name: string): string => `      --${name}${refused[name] === undefined ? "" : ` (not here: ${refused[name]})`}\n`;
  const names = [...booleans, ...values].filter((name) => !past.has(name) && name !== "v").sort();
  return `The API server of coxswain with the flags of kube-apiserver, for envtest. Its state is in memory.\n\nFlags:\n${names.map(line).join("")}`;
}

/** Says in the log what was passed and makes no difference. @throws StartError for what cannot be had */
export function checkFlags(flags: Flags, log: Log): void {
  for (const name of flags.keys()) {
    const why = refused[name];
    const port = name === "insecure-port" ? lastOf(flags, name) : undefined;
    if (port !== undefined && port !== "0") throw new StartError(`--insecure-port=${port} cannot be had: there is no port without TLS`);
    if (why !== undefined) throw new StartError(`--${name} cannot be had: ${why}`);
    if (!heeded.includes(name) && !heededBooleans.includes(name))
      log.debug({ flag: name, values: flags.get(name) }, "a flag of kube-apiserver makes no difference here");
  }
}
