/** Who may do what, over HTTPS, with credentials of every kind; the expected answers are derived from the rules of RBAC. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Requests } from "./authorization/requests.ts";
import { runCases } from "./authorization/run-cases.ts";
import { makeAuthority, makeWorld } from "./authorization/world.ts";
import { startCommand } from "./command-under-test.ts";

test("users may do what their roles allow, where they are bound, and no more", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-cases-"));
  const authority = makeAuthority();
  writeFileSync(join(directory, "users.crt"), authority.cert);
  const command = await startCommand("--ephemeral", `--client-ca-file=${join(directory, "users.crt")}`, "--enable-bootstrap-token-auth");
  t.after(async () => {
    assert.equal(await command.stop(), 0);
    rmSync(directory, { recursive: true });
  });
  const subjects = await makeWorld(command.server, command.token, authority);
  const { asked, allowed, differences } = await runCases(command.server, subjects);
  t.diagnostic(`${asked} cases, ${allowed} allowed`);
  assert.deepEqual(differences, []);
  assert.ok(asked >= 900 && allowed >= 200, `${asked} ${allowed}`);
  for (const headers of [{}, { authorization: "Bearer abcdef.fedcba9876543210" }, { authorization: "Bearer x.y.z" }]) {
    const anonymous = new Requests(command.server, { headers });
    assert.equal((await anonymous.send("GET", "/api/v1/namespaces/a/pods")).status, 401);
    anonymous.close();
  }
});
