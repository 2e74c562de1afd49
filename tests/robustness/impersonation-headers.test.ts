/** Headers of impersonation that say less, more or something else than they seem to, over HTTP/1.1 and HTTP/2: nobody becomes more than is allowed. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";

interface Answered {
  readonly status: number;
  readonly text: string;
}
type Headers = readonly (readonly [name: string, value: string])[];

const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const review = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
const common = { "content-type": "application/json", accept: "application/json" };

function overHttp1(server: string, token: string, headers: Headers): Promise<Answered> {
  const all = [...Object.entries({ ...common, host: "localhost", authorization: `Bearer ${token}` }), ...headers].flat();
  return new Promise((resolve, reject) => {
    const sent = request(server + path, { method: "POST", headers: all, rejectUnauthorized: false, agent: false }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.on("error", reject);
    sent.end(review);
  });
}

function overHttp2(server: string, token: string, headers: Headers): Promise<Answered> {
  const all: Record<string, string | string[]> = { ...common, ":path": path, ":method": "POST", authorization: `Bearer ${token}` };
  for (const [name, value] of headers) {
    const known = all[name.toLowerCase()];
    all[name.toLowerCase()] = known === undefined ? value : [known, value].flat();
  }
  return new Promise((resolve, reject) => {
    const session = connect(server, { rejectUnauthorized: false });
    session.on("error", reject);
    const stream = session.request(all);
    let [text, status] = ["", 0];
    stream.on("response", (answered) => {
      status = Number(answered[":status"]);
    });
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    stream.on("error", reject);
    stream.on("end", () => {
      session.close();
      resolve({ status, text });
    });
    stream.end(review);
  });
}

const user: readonly [string, string] = ["Impersonate-User", "jane"];
const everybody = "system:authenticated";
/** What the administrator becomes, as Kubernetes has it: name, uid, groups and extras; or how the request is refused. */
const cases: readonly { readonly name: string; readonly headers: Headers; readonly is: unknown }[] = [
  { name: "upper case", headers: [["IMPERSONATE-USER", "jane"]], is: { username: "jane", groups: [everybody] } },
  { name: "two users", headers: [user, ["impersonate-user", "root"]], is: { username: "jane", groups: [everybody] } },
  {
    name: "an empty user before another",
    headers: [["Impersonate-User", ""], user],
    is: { username: "admin", groups: ["system:masters", everybody] },
  },
  {
    name: "a group with commas",
    headers: [user, ["Impersonate-Group", "a,system:masters"]],
    is: { username: "jane", groups: ["a,system:masters", everybody] },
  },
  {
    name: "groups in several headers and cases",
    headers: [user, ["Impersonate-Group", "a, b"], ["impersonate-group", "c"]],
    is: { username: "jane", groups: ["a, b", "c", everybody] },
  },
  { name: "a group without a user", headers: [["Impersonate-Group", "a"]], is: 400 },
  { name: "a uid without a user", headers: [["Impersonate-Uid", "7"]], is: 400 },
  { name: "an extra without a user", headers: [["Impersonate-Extra-A", "1"]], is: 400 },
  {
    name: "an extra whose key is encoded",
    headers: [user, ["Impersonate-Extra-acme.io%2Fprojects", "1"]],
    is: { username: "jane", groups: [everybody], extra: { "acme.io/projects": ["1"] } },
  },
  {
    name: "one key of extras written in two ways",
    headers: [user, ["Impersonate-Extra-a", "1"], ["Impersonate-Extra-%61", "1"]],
    is: { username: "jane", groups: [everybody], extra: { a: ["1", "1"] } },
  },
  {
    name: "an escape that is none",
    headers: [user, ["Impersonate-Extra-a%zz", "1"]],
    is: { username: "jane", groups: [everybody], extra: { "a%zz": ["1"] } },
  },
  {
    name: "a key of a prototype",
    headers: [user, ["Impersonate-Extra-__proto__", "1"]],
    is: { username: "jane", groups: [everybody], extra: JSON.parse('{"__proto__":["1"]}') },
  },
  {
    name: "an unknown header of impersonation",
    headers: [user, ["Impersonate-Users", "root"]],
    is: { username: "jane", groups: [everybody] },
  },
  // Who may not ask who it is.
  { name: "anonymous", headers: [["Impersonate-User", "system:anonymous"]], is: 403 },
];

function read({ status, text }: Answered): unknown {
  if (status !== 201) return status;
  const { uid: _, ...info } = JSON.parse(text).status.userInfo;
  return info;
}

const ways = [
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
] as const;

describe("headers of impersonation", { concurrency: 1 }, () => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  let command: CommandUnderTest | undefined;
  let server = process.env.AGAINST ?? "";
  before(async () => {
    const tokens = join(directory, "tokens.csv");
    writeFileSync(tokens, ['administrator,admin,admin,"system:masters"', "token-of-keeper,keeper,keeper", ""].join("\n"));
    if (server !== "") return;
    command = await startCommand("--ephemeral", "--token-auth-file", tokens);
    server = command.server;
  });
  after(async () => {
    await command?.stop();
    rmSync(directory, { recursive: true });
  });
  for (const [protocol, send] of ways) {
    for (const { name, headers, is } of cases)
      test(`${protocol}: ${name}`, async () => assert.deepEqual(read(await send(server, "administrator", headers)), is));
    for (const [name, value] of [
      ["Impersonate-User", "system:admin"],
      ["Impersonate-User", "system:serviceaccount:kube-system:default"],
      ["IMPERSONATE-user", "system:node:n1"],
      ["Impersonate-User", "nobody"],
    ] as const)
      test(`${protocol}: who may not impersonate is not ${value}`, async () => {
        for (const more of [[], [["Impersonate-Group", "system:masters"] as const], [["Impersonate-Extra-a", ""] as const]]) {
          const { status, text } = await send(server, "token-of-keeper", [[name, value], ...more]);
          assert.equal(status, 403, text);
        }
      });
    test(`${protocol}: a thousand groups are answered, and so are others`, async () => {
      const many: Headers = [user, ...Array.from({ length: 1_000 }, (_, i) => ["Impersonate-Group", `g${i}`] as const)];
      // A stream with more headers than there may be is reset, where the protocol lets it.
      const { status } = await send(server, "administrator", many).catch((error: NodeJS.ErrnoException) => ({ status: error.code }));
      assert.ok([201, 400, 431, "ERR_HTTP2_STREAM_ERROR"].includes(status ?? ""), String(status));
      assert.equal((await send(server, "administrator", [])).status, 201);
    });
  }
});
