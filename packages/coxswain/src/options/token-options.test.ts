import assert from "node:assert/strict";
import { test } from "node:test";
import { parseKubeletOptions } from "./kubelet-options.ts";
import { parseTokenOptions } from "./token-options.ts";

function outcome<T>(parse: (output: { print(text: string): void; printError(text: string): void }) => T): T | string {
  let output = "";
  const add = (text: string): void => {
    output += text;
  };
  try {
    return parse({ print: add, printError: add });
  } catch {
    return output.trim();
  }
}

const token = (...args: readonly string[]) => outcome((output) => parseTokenOptions(args, { XDG_DATA_HOME: "/data" }, output));
const kubelet = (...args: readonly string[]) => outcome((output) => parseKubeletOptions(args, { XDG_DATA_HOME: "/data" }, output));

test("a token is good for a day, for all uses, and for joining", () => {
  assert.deepEqual(token("create"), {
    ...{ action: "create", tokens: [], context: undefined, output: "text", description: "", printJoinCommand: false, server: undefined },
    ...{ kubeconfig: "/data/coxswain/kubeconfig", ttlMs: 86_400_000, groups: undefined },
    usages: ["signing", "authentication"],
  });
});

for (const [args, message] of [
  [["delete"], "error: missing the tokens to delete"],
  [["list", "abcdef"], "error: too many arguments for list"],
  [["create", "a", "b"], "error: too many arguments for create"],
  [["create", "--groups=system:masters"], '"system:masters" does not begin with system:bootstrappers:.'],
  [["create", "--usages=everything"], "They must be among signing, authentication."],
  [["create", "--server=http://a"], "It must be a URL that begins with https://."],
] as const)
  test(`token ${args.join(" ")}`, () => assert.ok(String(token(...args)).endsWith(message), String(token(...args))));

const hash = `sha256:${"a".repeat(64)}`;
const joining = ["--server=https://a:6443", "--token=abcdef.0123456789abcdef", `--discovery-token-ca-cert-hash=${hash}`];

test("a kubelet that joins by a token keeps its certificate, and its kubeconfig below its root", () => {
  const options = kubelet(...joining, "--root-dir=/var/lib/k");
  assert.ok(typeof options === "object");
  assert.deepEqual(options.join, { server: "https://a:6443", token: "abcdef.0123456789abcdef", authorityHashes: [hash] });
  assert.deepEqual([options.kubeconfig, options.rotateCertificates], ["/var/lib/k/kubeconfig", true]);
});

for (const [args, message] of [
  [joining.slice(0, 2), "error: --server, --token and --discovery-token-ca-cert-hash need each other"],
  [[...joining, "--bootstrap-kubeconfig=f"], "error: --token and --bootstrap-kubeconfig exclude each other"],
  [["--discovery-token-ca-cert-hash=sha256:abc"], "It must be sha256: and 64 hexadecimal digits."],
] as const)
  test(`kubelet ${args.join(" ")}`, () => assert.ok(String(kubelet(...args)).endsWith(message), String(kubelet(...args))));
