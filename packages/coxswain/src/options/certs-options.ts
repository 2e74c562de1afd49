/** The options of `coxswain certs`. */
import { join } from "node:path";
import { Argument, type Command, Option } from "commander";
import { baseCommand, type Environment, type Output } from "./base-command.ts";
import { addCertificateOptions, type CertificateFiles, certificateFilesOf, type ParsedCertificateOptions } from "./certificate-options.ts";
import { addServerOptions, dataDirOf, type ParsedServerOptions } from "./server-options.ts";

const actions = ["list", "renew"] as const;
const outputs = ["text", "json"] as const;

export interface CertsOptions {
  readonly action: (typeof actions)[number];
  /** Of certificates that are renewed. */
  readonly names: readonly string[];
  /** Where the server keeps them. */
  readonly certDir: string;
  readonly files: CertificateFiles;
  readonly output: (typeof outputs)[number];
}

interface Parsed extends ParsedCertificateOptions, ParsedServerOptions {
  readonly output: CertsOptions["output"];
}

export const certsCommand = (output: Output, env: Environment): Command =>
  addCertificateOptions(
    addServerOptions(
      baseCommand("certs", output)
        .usage("list|renew [all|<names>] [options]")
        .description("Show when the certificates of a server end, or make new ones, whether it runs or not.")
        .addArgument(new Argument("<action>", "what to do").choices(actions))
        .argument("[names...]", "which to renew: all, admin, apiserver, apiserver-kubelet-client, front-proxy-client"),
      env,
    ).addOption(new Option("-o, --output <form>", "how to show them").choices(outputs).default("text")),
  ).addHelpText("after", "\nFiles that the server is given by options are named here by the same ones.");

export function parseCertsOptions(args: readonly string[], env: Environment, output: Output): CertsOptions {
  const command = certsCommand(output, env).parse(args, { from: "user" });
  const parsed = command.opts<Parsed>();
  const [action, ...names] = command.args;
  if (action === "renew" && names.length === 0) command.error("error: missing the names of certificates to renew, or all");
  if (action === "list" && names.length > 0) command.error("error: list takes no names");
  return {
    action: action === "renew" ? "renew" : "list",
    names,
    certDir: join(dataDirOf(parsed, env), "pki"),
    files: certificateFilesOf(parsed) ?? {},
    output: parsed.output,
  };
}
