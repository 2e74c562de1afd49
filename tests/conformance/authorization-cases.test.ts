/** Who may do what, over HTTPS, with credentials of every kind: as the rules of RBAC say, and as Kubernetes answered. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Requests } from "./authorization/requests.ts";
import { compareWithRecord, runCases } from "./authorization/run-cases.ts";
import { makeAuthority, makeWorld, writeServerFiles } from "./authorization/world.ts";
import { startCommand } from "./command-under-test.ts";

test("users may do what their roles allow, where they are bound, and no more", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-cases-"));
  const authority = makeAuthority();
  const admin = "administrator";
  const command = await startCommand("--ephemeral", ...writeServerFiles(directory, authority, admin));
  t.after(async () => {
    assert.equal(await command.stop(), 0);
    rmSync(directory, { recursive: true });
  });
  const subjects = await makeWorld(command.server, admin, authority);
  const { answers, allowed, differences } = await runCases(command.server, subjects);
  t.diagnostic(`${answers.size} cases, ${allowed} allowed`);
  assert.deepEqual(differences, []);
  assert.deepEqual(compareWithRecord(answers), []);
  assert.ok(answers.size >= 900 && allowed >= 200, `${answers.size} ${allowed}`);
  for (const headers of [{}, { authorization: "Bearer abcdef.fedcba9876543210" }, { authorization: "Bearer x.y.z" }]) {
    const anonymous = new Requests(command.server, { headers });
    assert.equal((await anonymous.send("GET", "/api/v1/namespaces/a/pods")).status, 401);
    anonymous.close();
  }
});
