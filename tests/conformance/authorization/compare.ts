/**
 * The cases against another API server: `node scripts/run.mjs tests/conformance/authorization/compare.ts authority DIRECTORY` makes an
 * authority, for its `--client-ca-file`; `… compare.ts ask DIRECTORY URL TOKEN` asks it. It needs `--enable-bootstrap-token-auth`.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nameWith } from "@coxswain/pki";
import { exportKey } from "@coxswain/pki/node";
import { runCases } from "./run-cases.ts";
import { makeAuthority, makeWorld } from "./world.ts";

const [what, directory = ".", server = "", token = ""] = process.argv.slice(2);
const file = (name: string): string => join(directory, name);
if (what === "authority") {
  const { cert, privateKey } = makeAuthority();
  writeFileSync(file("users.crt"), cert);
  writeFileSync(file("users.key"), exportKey(privateKey), { mode: 0o600 });
} else {
  const { publicKey } = new X509Certificate(readFileSync(file("users.crt")));
  const authority = { subject: nameWith("users"), publicKey, privateKey: createPrivateKey(readFileSync(file("users.key"))) };
  const { asked, allowed, differences } = await runCases(server, await makeWorld(server, token, authority));
  process.stdout.write(`${[...differences, `${asked} cases, ${allowed} allowed, ${differences.length} answered otherwise`].join("\n")}\n`);
  process.exitCode = differences.length === 0 ? 0 : 1;
}
