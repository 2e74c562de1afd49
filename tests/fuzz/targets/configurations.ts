/** Files that flags name: read whole, or refused with a message, which has none of the keys in them. */
import assert from "node:assert/strict";
import { compileAuditPolicy, loadAuditPolicy, loadEncryptionConfiguration } from "@coxswain/apiserver";
import { isObject, messageOf, parseYaml } from "@coxswain/machinery";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import type { FuzzTarget } from "../harness/target.ts";

const policies: Grammar = {
  policy: ['{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[<rules>]<more>}'],
  more: ["", ',"omitStages":[<stages>]', ',"omitManagedFields":<flag>', ',"metadata":{"name":<text>}'],
  rules: ["{<rule>}", "{<rule>},<rules>", ""],
  rule: ['"level":<level>', '"level":<level>,<members>'],
  members: ["<member>", "<member>,<members>"],
  member: [
    '"users":[<text>]',
    '"userGroups":[<text>]',
    '"verbs":[<text>]',
    '"namespaces":[<text>]',
    '"nonResourceURLs":[<text>]',
    '"omitStages":[<stages>]',
    '"resources":[{"group":<text>,"resources":[<text>],"resourceNames":[<text>]}]',
    '"omitManagedFields":<flag>',
  ],
  level: ['"None"', '"Metadata"', '"Request"', '"RequestResponse"', '"x"', "1", "null"],
  stages: ['"RequestReceived"', '"ResponseStarted","ResponseComplete"', '"Panic"', '"x"', "1", ""],
  text: ['""', '"*"', '"a"', '"pods/log"', '"*/scale"', '"/healthz*"', '"/a*b"', '"x","y"', "1", "null", ""],
  flag: ["true", "false", "null", '"x"'],
};

export const auditPolicy: FuzzTarget = {
  name: "audit-policy",
  modules: ["apiserver/src/audit"],
  dictionary: [
    ..."level rules verbs users resources group omitStages None Metadata Request apiVersion kind Policy null [] {} true".split(" "),
    "- ",
    ": ",
    "\n",
    "*",
  ],
  seeds: [
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n  resources:\n  - group: ""\n    resources: [secrets]\n- level: None\n',
  ],
  generate: (random) => textFrom(policies, "policy", random),
  async judge(input) {
    const policy = await loadAuditPolicy(input).catch(refusal);
    if (policy === undefined) return false;
    compileAuditPolicy(policy);
    return true;
  },
};

const secret = Buffer.alloc(32, "k").toString("base64");
const configurations: Grammar = {
  file: ['{"apiVersion":"apiserver.config.k8s.io/v1","kind":"EncryptionConfiguration","resources":[<resources>]}'],
  resources: ["{<resource>}", "{<resource>},<resources>", ""],
  resource: ['"resources":[<names>],"providers":[<providers>]', '"resources":[<names>]', '"providers":[<providers>]'],
  names: ['"secrets"', '"*.*"', '"*.apps","configmaps"', '"a.b/c"', '""', "1", '"Secrets"', '"*.","*."'],
  providers: ["<provider>", "<provider>,<providers>", ""],
  provider: [
    '{"identity":{}}',
    '{"aesgcm":{"keys":[<keys>]}}',
    '{"aescbc":{"keys":[<keys>]}}',
    '{"secretbox":{"keys":[<keys>]}}',
    '{"kms":{<kms>}}',
    "{}",
    '{"aesgcm":{"keys":[<keys>]},"identity":{}}',
  ],
  keys: ['{"name":"a","secret":<secret>}', '{"name":"a","secret":<secret>},<keys>', ""],
  secret: [`"${secret}"`, '"YQ=="', '"x"', '""', "1", "null"],
  kms: [
    '"apiVersion":"v2","name":"k","endpoint":"unix:///x","timeout":"3s"',
    '"name":"a:b","endpoint":"x"',
    '"apiVersion":"v1","name":"k","endpoint":"unix:///x","cachesize":<number>',
    '"timeout":<text>',
  ],
  number: ["0", "-1", "1", "null"],
  text: ['"1s"', '"-1s"', '"x"', "1"],
};

/** Whether the key is, or is in, what messages may name: all but a member `secret`. */
function isNamed(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isNamed);
  if (!isObject(value)) return typeof value === "string" && value.includes(secret);
  return Object.entries(value).some(
    ([key, member]) => key.includes(secret) || ((key !== "secret" || member !== secret) && isNamed(member)),
  );
}

async function documentOf(text: string): Promise<unknown> {
  try {
    return await parseYaml(text);
  } catch {
    return undefined;
  }
}

export const encryptionConfiguration: FuzzTarget = {
  name: "encryption-configuration",
  modules: ["apiserver/src/encryption/configuration"],
  dictionary: [
    ..."resources providers aesgcm aescbc secretbox identity kms keys name secret null [] {}".split(" "),
    secret,
    "*.*",
    ": ",
    "- ",
    "\n",
  ],
  seeds: [
    `kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources:\n- resources: [secrets]\n  providers:\n  - aescbc:\n      keys:\n      - name: k\n        secret: ${secret}\n  - identity: {}\n`,
  ],
  generate: (random) => textFrom(configurations, "file", random),
  async judge(input) {
    const openKms = (): never => {
      throw new Error("no key management service here");
    };
    for (const reload of [false, true]) {
      const error = await loadEncryptionConfiguration({ path: "file", text: input, reload, openKms: async () => openKms() }).then(
        () => undefined,
        problem,
      );
      if (error === undefined) continue;
      if (!isNamed(await documentOf(input))) assert.ok(!error.includes(secret), `the message has a key: ${error}`);
      return false;
    }
    return true;
  },
};

/** What these files are refused with is an Error with a message; what says that the code is wrong is not. */
function problem(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof TypeError || cause instanceof RangeError || cause instanceof ReferenceError) throw cause;
  const message = messageOf(error);
  assert.notEqual(message, "");
  return message;
}

const refusal = (error: unknown): undefined => void problem(error);
