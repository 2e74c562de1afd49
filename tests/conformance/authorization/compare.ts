/**
 * The cases against another API server: `node scripts/run.mjs tests/conformance/authorization/compare.ts authority DIRECTORY` makes keys and
 * tokens and prints the flags that it is to be started with; `… compare.ts ask DIRECTORY URL` asks it, and `… compare.ts record DIRECTORY
 * URL` also keeps its answers, which the test compares with.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nameWith } from "@coxswain/pki";
import { exportKey } from "@coxswain/pki/node";
import { compareWithRecord, recordFile, runCases } from "./run-cases.ts";
import { makeAuthority, makeWorld, writeServerFiles } from "./world.ts";

const token = "administrator";
const [what, directory = ".", server = ""] = process.argv.slice(2);
const file = (name: string): string => join(directory, name);
if (what === "authority") {
  const { cert, privateKey } = makeAuthority();
  writeFileSync(file("users.key"), exportKey(privateKey), { mode: 0o600 });
  process.stdout.write(`${writeServerFiles(directory, { cert }, token).join(" ")}\n`);
} else {
  const { publicKey } = new X509Certificate(readFileSync(file("users.crt")));
  const authority = { subject: nameWith("users"), publicKey, privateKey: createPrivateKey(readFileSync(file("users.key"))) };
  const { answers, allowed, differences } = await runCases(server, await makeWorld(server, token, authority));
  if (what === "record") writeFileSync(recordFile, `${JSON.stringify(Object.fromEntries(answers), null, 2)}\n`);
  const all = [...differences, ...compareWithRecord(answers)];
  process.stdout.write(`${[...all, `${answers.size} cases, ${allowed} allowed, ${all.length} answered otherwise`].join("\n")}\n`);
  process.exitCode = all.length === 0 ? 0 : 1;
}
