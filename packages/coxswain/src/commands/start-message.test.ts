import assert from "node:assert/strict";
import { test } from "node:test";
import type { NodeOptions } from "../options/node-options.ts";
import { programName, startMessage } from "./start-message.ts";

const serving = {
  server: "https://h:1",
  kubeconfig: "/k",
  runtime: undefined,
  services: undefined,
  networkPolicies: undefined,
  timeline: "https://h:1/coxswain/ui/?code=c",
  version: "1.2.3",
  pid: 4,
  program: "npx coxswain",
};
const alone = { output: "text", dataDir: undefined, controllers: [], scheduler: false, node: undefined } as const;
const whole = { ...alone, controllers: ["*"], scheduler: true, node: {} as NodeOptions };

const etcd = { servers: ["http://e:2379"], prefix: "/registry", caFile: undefined, certFile: undefined, keyFile: undefined };

const cases = [
  {
    name: "one line of JSON",
    options: { ...alone, output: "json" },
    says: /^\{"server":"https:\/\/h:1","kubeconfig":"\/k","pid":4,"version":"1\.2\.3"\}\n$/,
  },
  {
    name: "a Deployment where its Pods run",
    options: whole,
    says: /\n {2}export KUBECONFIG=\/k\n {2}kubectl get nodes -o wide\n {2}kubectl create deployment web /,
  },
  { name: "what Services lead to", options: whole, services: "left to another proxy", says: /\nServices: left to another proxy\n/ },
  { name: "whether policies count", options: whole, networkPolicies: "left to others", says: /\nNetworkPolicies: left to others\n\n/ },
  { name: "a ConfigMap where no Pods run", options: alone, says: /\n {2}export KUBECONFIG=\/k\n {2}kubectl create configmap ship / },
  { name: "a ConfigMap where nobody schedules", options: { ...whole, scheduler: false }, says: /kubectl create configmap ship / },
  {
    name: "the context instead of a file",
    options: { ...alone, name: "dev", mergeKubeconfig: "/h/.kube/config" },
    says: /\n {2}# coxswain-dev is the current context of \/h\/\.kube\/config as long as it runs\n {2}kubectl/,
  },
  { name: "that its state is in memory", options: alone, says: /\ncoxswain 1\.2\.3 at https:\/\/h:1, state in memory\n/ },
  { name: "the folder of its state", options: { ...alone, dataDir: "/d" }, says: /, state in \/d\n/ },
  { name: "the etcd of its state", options: { ...alone, dataDir: "/d", etcd }, says: /, state in etcd at http:\/\/e:2379\n/ },
  { name: "a link to the timeline", options: alone, says: /\nWhat happens, in a browser .*: https:\/\/h:1\/coxswain\/ui\/\?code=c\n/ },
  { name: "the words that started it", options: alone, says: /`npx coxswain --help`/ },
  {
    name: "a path that a shell would take apart in quotes",
    options: alone,
    kubeconfig: "/a b/it's",
    says: /export KUBECONFIG='\/a b\/it'\\''s'\n/,
  },
] as const;
for (const { name, options, says, ...more } of cases)
  test(`start message: ${name}`, () => assert.match(startMessage({ ...serving, ...more }, options), says));

const programs = [
  { env: { npm_lifecycle_event: "start", npm_command: "run-script" }, program: "npm start --" },
  { env: { npm_command: "exec" }, program: "npx coxswain" },
  { env: {}, program: "coxswain" },
];
for (const { env, program } of programs) test(`start message: the program is ${program}`, () => assert.equal(programName(env), program));
