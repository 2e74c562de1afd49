/** Client certificates whose names are no names: users are known by exactly what is in them, or not at all, and others are served meanwhile. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { makeAuthority, writeServerFiles } from "../conformance/authorization/world.ts";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";

const everybody = "system:authenticated";
const groups = (count: number): string[] => Array.from({ length: count }, (_, i) => `group-${i}`);
/** 401 for a certificate that names nobody; 0 for one that no connection can be made with. */
const cases: readonly { readonly name: string; readonly user: string; readonly groups?: readonly string[]; readonly is?: number }[] = [
  { name: "a NUL", user: "jane\0.example.com" },
  { name: "a NUL before what could be another's", user: "\0system:admin" },
  { name: "line ends", user: "jane\r\nImpersonate-User: root\n\n" },
  { name: "escapes of a terminal", user: "\u001b[2Jjane\u007f" },
  { name: "text that runs backwards", user: "\u202enaj\u202c" },
  { name: "white space alone", user: " " },
  { name: "the key of a prototype", user: "__proto__", groups: ["constructor", "__proto__"] },
  { name: "distinguished names within names", user: "jane,O=system:masters", groups: ["a+O=system:masters", "b/O=system:masters"] },
  { name: "twenty thousand letters", user: "x".repeat(20_000) },
  { name: "a thousand groups", user: "jane", groups: groups(1_000) },
  { name: "the same group a hundred times", user: "jane", groups: Array<string>(100).fill("devs") },
  { name: "an empty group", user: "jane", groups: [""] },
  { name: "an empty user", user: "", groups: ["system:masters"], is: 401 },
  { name: "more than a handshake may have", user: "jane", groups: groups(20_000), is: 0 },
];

const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const review = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });

describe("names in client certificates", { concurrency: 1 }, () => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  const authority = makeAuthority();
  const admin = "administrator";
  let command: CommandUnderTest;
  before(async () => {
    command = await startCommand("--ephemeral", ...writeServerFiles(directory, authority, admin));
  });
  after(async () => {
    assert.equal(await command.stop(), 0);
    rmSync(directory, { recursive: true });
  });

  function ask(credentials: { readonly cert?: string; readonly key?: string; readonly token?: string }): Promise<[number, string]> {
    const { token, ...pair } = credentials;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { "content-type": "application/json", ...authorization };
    return new Promise((resolve) => {
      const options = { ...pair, method: "POST", headers, rejectUnauthorized: false, agent: false };
      const sent = request(command.server + path, options, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve([response.statusCode ?? 0, text]);
      });
      sent.on("error", () => resolve([0, ""]));
      sent.end(review);
    });
  }

  for (const { name, user, groups: given = [], is = 201 } of cases)
    test(`${name}: ${is}`, async () => {
      const pair = issuePair(authority, { subject: nameWith(user, given), usage: "client auth" }, systemClock.now());
      const [status, text] = await ask(pair);
      assert.equal(status, is, text);
      if (is === 201) {
        const { username, groups: known } = JSON.parse(text).status.userInfo;
        assert.deepEqual([username, known], [user, [...given, everybody]]);
      }
      assert.equal((await ask({ token: admin }))[0], 201);
    });
});
