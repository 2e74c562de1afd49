/** Keys and certificates as people make them, by the commands of documentation. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface OpensslPair {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

const newKeyIn = (file: string): string[] => ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", file];
const run = (...args: readonly string[]): void => void execFileSync("openssl", args, { stdio: "ignore" });

export function hasOpenssl(): boolean {
  try {
    run("version");
    return true;
  } catch {
    return false;
  }
}

/** Writes the files `NAME.crt` and `NAME.key`. */
export function opensslAuthority(directory: string, name: string): OpensslPair {
  const files = filesOf(directory, name);
  run("req", "-x509", "-new", ...newKeyIn(files.keyFile), "-subj", `/CN=${name}`, "-days", "1", "-out", files.certFile);
  return read(files);
}

export interface OpensslSubject {
  /** As `-subj` has it. */
  readonly subject: string;
  /** As in a configuration: `extendedKeyUsage=clientAuth`. */
  readonly extensions: string;
}

export function opensslCertificate(
  directory: string,
  name: string,
  issuer: OpensslPair,
  { subject, extensions }: OpensslSubject,
): OpensslPair {
  const files = filesOf(directory, name);
  const [request, config] = [join(directory, `${name}.csr`), join(directory, `${name}.cnf`)];
  writeFileSync(config, `${extensions}\n`);
  run("req", "-new", ...newKeyIn(files.keyFile), "-utf8", "-subj", subject, "-out", request);
  const by = ["-CA", issuer.certFile, "-CAkey", issuer.keyFile, "-CAcreateserial"];
  run("x509", "-req", "-in", request, ...by, "-days", "1", "-extfile", config, "-out", files.certFile);
  return read(files);
}

function filesOf(directory: string, name: string): Pick<OpensslPair, "certFile" | "keyFile"> {
  mkdirSync(directory, { recursive: true });
  return { certFile: join(directory, `${name}.crt`), keyFile: join(directory, `${name}.key`) };
}

const read = (files: Pick<OpensslPair, "certFile" | "keyFile">): OpensslPair => ({
  ...files,
  cert: readFileSync(files.certFile, "utf8"),
  key: readFileSync(files.keyFile, "utf8"),
});
