/** Kubeconfig files: read and chosen from, or refused with an error that says where. */
import assert from "node:assert/strict";
import { chooseAccess, type Kubeconfig, KubeconfigError, mergeKubeconfigs, parseKubeconfig } from "@coxswain/client";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import { type FuzzTarget, unlessRefused } from "../harness/target.ts";

const grammar: Grammar = {
  file: ['{"apiVersion":"v1","kind":"Config","clusters":[<clusters>],"users":[<users>],"contexts":[<contexts>],"current-context":<name>}'],
  clusters: ['{"name":<name>,"cluster":{<cluster>}}', '{"name":<name>,"cluster":{<cluster>}},<clusters>', ""],
  cluster: [
    '"server":<url>',
    '"server":<url>,"certificate-authority-data":<data>',
    '"insecure-skip-tls-verify":<flag>,<cluster>',
    '"proxy-url":<url>',
    '"tls-server-name":<name>',
  ],
  users: ['{"name":<name>,"user":{<user>}}', '{"name":<name>,"user":{<user>}},<users>', ""],
  user: [
    '"token":<name>',
    '"client-certificate-data":<data>,"client-key-data":<data>',
    '"username":<name>,"password":<name>',
    '"exec":{"command":<name>,"args":[<name>],"apiVersion":"client.authentication.k8s.io/v1","interactiveMode":"Never","env":[{"name":<name>,"value":<name>}]}',
    '"as":<name>,"as-groups":[<name>],"as-user-extra":{"a":[<name>]}',
    '"auth-provider":{"name":<name>}',
  ],
  contexts: [
    '{"name":<name>,"context":{"cluster":<name>,"user":<name>}}',
    '{"name":<name>,"context":{"cluster":<name>,"user":<name>,"namespace":<name>}},<contexts>',
    "",
  ],
  name: ['"a"', '"b"', '""', "null", "1", '"__proto__"', "{}"],
  url: ['"https://127.0.0.1:1"', '"http://a"', '"//"', '"https://[::1"', '"ftp://a"', "null"],
  data: ['"YQ=="', '"="', '"a b"', "1", "null"],
  flag: ["true", "false", '"true"', "null"],
};

export const kubeconfig: FuzzTarget = {
  name: "kubeconfig",
  modules: ["client/src/kubeconfig"],
  dictionary: [
    ..."clusters users contexts current-context server token exec command args env user cluster name certificate-authority-data null true [] {} &a *a".split(
      " ",
    ),
    ": ",
    "- ",
    "\n",
    "\n  ",
  ],
  seeds: [
    "apiVersion: v1\nkind: Config\nclusters:\n- name: a\n  cluster:\n    server: https://127.0.0.1:6443\nusers:\n- name: a\n  user:\n    token: x\ncontexts:\n- name: a\n  context:\n    cluster: a\n    user: a\ncurrent-context: a\n",
    '{"users":[{"name":"a","user":{"exec":{"command":"x","apiVersion":"client.authentication.k8s.io/v1"}}}]}',
  ],
  generate: (random) => textFrom(grammar, "file", random),
  async judge(input) {
    const config = await read(input);
    if (config === undefined) return false;
    const merged = mergeKubeconfigs([config, config]);
    assert.deepEqual([...merged.clusters.keys()], [...config.clusters.keys()]);
    for (const context of [undefined, ...config.contexts.keys()])
      unlessRefused(
        () => chooseAccess(merged, context === undefined ? {} : { context }),
        (error) => error instanceof KubeconfigError,
      );
    return true;
  },
};

async function read(text: string): Promise<Kubeconfig | undefined> {
  try {
    return await parseKubeconfig(text);
  } catch (error) {
    if (error instanceof KubeconfigError) return undefined;
    throw error;
  }
}
