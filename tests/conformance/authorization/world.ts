/** Users with credentials of every kind, and what roles let them do: the same on any API server. */
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { type Issuer, issueCertificate, issuePair, noNames } from "@coxswain/pki/node";
import { type Credentials, Requests } from "./requests.ts";

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** Rules that hold everywhere, or in one namespace. */
export interface BoundRules {
  readonly rules: readonly Rule[];
  readonly namespace?: string;
}

export interface Subject {
  /** As the server knows the user. */
  readonly user: string;
  /** Undefined where only Kubernetes' recorded answers say what is expected. */
  readonly bound?: readonly BoundRules[];
  readonly credentials: Credentials;
}

const roles = {
  reader: [{ apiGroups: [""], resources: ["pods", "configmaps"], verbs: ["get", "list", "watch"] }],
  logs: [{ apiGroups: [""], resources: ["pods/log"], verbs: ["get"] }],
  // Stands for no subresource: only the other way round it does.
  misunderstood: [{ apiGroups: [""], resources: ["pods/*"], verbs: ["*"] }],
  scaler: [{ apiGroups: ["apps"], resources: ["*/scale"], verbs: ["get", "update", "patch"] }],
  named: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["x"], verbs: ["*"] }],
  core: [{ apiGroups: [""], resources: ["*"], verbs: ["*"] }],
  paths: [{ nonResourceURLs: ["/metrics", "/logs/*"], verbs: ["get"] }],
  deployer: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["create", "update", "patch", "delete", "get"] }],
} satisfies Record<string, readonly Rule[]>;

/** What every user may do. @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#discovery-roles */
const discovery: Rule = {
  nonResourceURLs: [
    "/api",
    "/api/*",
    "/apis",
    "/apis/*",
    "/healthz",
    "/livez",
    "/openapi",
    "/openapi/*",
    "/readyz",
    "/version",
    "/version/",
  ],
  verbs: ["get"],
};
const everybody: BoundRules = { rules: [discovery] };
const everything: BoundRules = {
  rules: [
    { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
    { nonResourceURLs: ["*"], verbs: ["*"] },
  ],
};

interface Bound {
  readonly role: keyof typeof roles;
  readonly namespace?: string;
  /** Instead of the user. */
  readonly subject?: object;
}

const rbac = "rbac.authorization.k8s.io";
const api = `/apis/${rbac}/v1`;
const account = "system:serviceaccount:a:bot";

const bindings: Readonly<Record<string, readonly Bound[]>> = {
  jane: [{ role: "reader" }, { role: "deployer", namespace: "a", subject: { apiGroup: rbac, kind: "Group", name: "devs" } }],
  ops: [{ role: "reader", namespace: "b" }, { role: "paths" }],
  [account]: [{ role: "core", namespace: "a", subject: { kind: "ServiceAccount", namespace: "a", name: "bot" } }],
  "imp ersonated": [{ role: "logs" }, { role: "named" }, { role: "misunderstood" }],
  "system:bootstrap:abcdef": [{ role: "scaler", subject: { apiGroup: rbac, kind: "Group", name: "system:bootstrappers" } }],
  nobody: [],
  keeper: [{ role: "core", namespace: "b" }, { role: "named" }],
};

/** Signs the certificates of users; both servers are given it. */
export function makeAuthority(): Issuer & { readonly cert: string } {
  const [subject, keys, now] = [nameWith("users"), generateKeyPairSync("ec", { namedCurve: "P-256" }), systemClock.now()];
  const [notBefore, notAfter] = [now - 60_000, now + 86_400_000];
  const template = { subject, issuer: { subject, ...keys }, publicKey: keys.publicKey, serial: Uint8Array.of(1), notBefore, notAfter };
  return { subject, ...keys, cert: issueCertificate({ ...template, authority: true, usages: ["cert sign"], names: noNames }) };
}

/** Those who are known by static tokens; `bridge` may impersonate `auditor` of the group `auditors`, and nobody else. */
const named = ["keeper", "bridge", "lost"];
const tokenOf = (name: string): string => `token-of-${name}`;

/** Writes what a server is to know from its start. Answers its flags; `admin` is a token of system:masters. */
export function writeServerFiles(directory: string, { cert }: { readonly cert: string }, admin: string): readonly string[] {
  const [authority, tokens] = [join(directory, "users.crt"), join(directory, "tokens.csv")];
  writeFileSync(authority, cert);
  const rows = named.map((name) => `${tokenOf(name)},${name},${name}`);
  writeFileSync(tokens, [...rows, `${admin},admin,admin,"system:masters"`, ""].join("\n"), { mode: 0o600 });
  return [`--client-ca-file=${authority}`, `--token-auth-file=${tokens}`, "--enable-bootstrap-token-auth"];
}

/** Makes namespaces, roles, bindings and credentials. @param token of a member of system:masters */
export async function makeWorld(server: string, token: string, authority: Issuer): Promise<readonly Subject[]> {
  const admin = new Requests(server, { headers: { authorization: `Bearer ${token}` } });
  for (const name of ["a", "b"]) await admin.create("/api/v1/namespaces", { metadata: { name } });
  for (const [name, rules] of Object.entries(roles))
    await admin.create(`${api}/clusterroles`, { metadata: { name: `cases-${name}` }, rules });
  for (const [user, bound] of Object.entries(bindings)) for (const one of bound) await bind(admin, user, one);
  await admin.create("/api/v1/namespaces/a/serviceaccounts", { metadata: { name: "bot" } });
  const spec = { audiences: [], expirationSeconds: 3600 };
  const issued = await admin.create("/api/v1/namespaces/a/serviceaccounts/bot/token", { spec });
  const parts = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" };
  await admin.create("/api/v1/namespaces/kube-system/secrets", {
    metadata: { name: "bootstrap-token-abcdef" },
    type: "bootstrap.kubernetes.io/token",
    stringData: parts,
  });
  await bindUnusually(admin);
  admin.close();
  const certificate = (name: string, groups: readonly string[] = []): Credentials =>
    issuePair(authority, { subject: nameWith(name, groups), usage: "client auth" }, systemClock.now());
  const bearer = (text: string): Credentials => ({ headers: { authorization: `Bearer ${text}` } });
  const known = [
    ["jane", certificate("jane", ["devs"])],
    ["ops", certificate("ops")],
    [account, bearer(issued.status.token)],
    ["imp ersonated", { headers: { authorization: `Bearer ${token}`, "impersonate-user": "imp ersonated" } }],
    ["system:bootstrap:abcdef", bearer("abcdef.0123456789abcdef")],
    ["nobody", certificate("nobody")],
    ["keeper", bearer(tokenOf("keeper"))],
  ] as const;
  const subjects = known.map(([user, credentials]) => ({ user, credentials, bound: [everybody, ...rulesOf(user)] }));
  const masquerade = { "impersonate-group": "auditors", "impersonate-uid": "u-1", "impersonate-extra-reason%2fwhy": "look" };
  const disguised = (name: string): Credentials => ({
    headers: { ...bearer(tokenOf("bridge")).headers, "impersonate-user": name, ...masquerade },
  });
  return [
    ...subjects,
    { user: "master", credentials: certificate("master", ["system:masters"]), bound: [everything] },
    // First, because Kubernetes words refusals by the mode of impersonation that has last allowed something.
    { user: "not-auditor", credentials: disguised("not-auditor") },
    { user: "auditor", credentials: disguised("auditor") },
    { user: "lost", credentials: bearer(tokenOf("lost")) },
    { user: "stranger", credentials: bearer("of.no.one") },
    { user: "comma", credentials: certificate("comma", ["devs,devs", "a\nb"]) },
  ];
}

/** Who may impersonate a few, and bindings to roles that are not there. */
async function bindUnusually(admin: Requests): Promise<void> {
  const rules = [
    { apiGroups: [""], resources: ["users", "groups"], resourceNames: ["auditor", "auditors"], verbs: ["impersonate"] },
    { apiGroups: ["authentication.k8s.io"], resources: ["uids"], resourceNames: ["u-1"], verbs: ["impersonate"] },
    { apiGroups: ["authentication.k8s.io"], resources: ["userextras/reason/why"], verbs: ["impersonate"] },
  ];
  await admin.create(`${api}/clusterroles`, { metadata: { name: "cases-bridge" }, rules });
  const of = (kind: string, name: string) => ({ apiGroup: rbac, kind, name });
  const make = (path: string, name: string, roleRef: object, subject: object): Promise<unknown> =>
    admin.create(`${api}/${path}`, { metadata: { name: `cases-${name}` }, roleRef, subjects: [subject] });
  await make("clusterrolebindings", "bridge", of("ClusterRole", "cases-bridge"), of("User", "bridge"));
  await make("clusterrolebindings", "auditors", of("ClusterRole", "cases-reader"), of("Group", "auditors"));
  await make("clusterrolebindings", "missing", of("ClusterRole", "missing"), of("User", "lost"));
  await make("namespaces/a/rolebindings", "missing", of("Role", "missing"), of("User", "lost"));
}

const rulesOf = (user: string): readonly BoundRules[] =>
  (bindings[user] ?? []).map(({ role, namespace }) => ({ rules: roles[role], ...(namespace === undefined ? {} : { namespace }) }));

async function bind(admin: Requests, user: string, { role, namespace, subject }: Bound): Promise<void> {
  const to = namespace === undefined ? `${api}/clusterrolebindings` : `${api}/namespaces/${namespace}/rolebindings`;
  await admin.create(to, {
    metadata: { name: `cases-${role}-${user.replaceAll(/[^a-z]/g, "-")}` },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: `cases-${role}` },
    subjects: [subject ?? { apiGroup: rbac, kind: "User", name: user }],
  });
}
