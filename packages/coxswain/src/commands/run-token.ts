/** `coxswain token`: with what nodes join. */
import { randomBytes, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Client, type ClusterAccess, isNotFound, isUnauthorized, selfSubjectReviews } from "@coxswain/client";
import { messageOf, systemClock } from "@coxswain/machinery";
import { accessOf, clientOf } from "../components/run-standalone.ts";
import {
  type BootstrapToken,
  bindJoiningRoles,
  createBootstrapToken,
  defaultTokenGroup,
  deleteBootstrapToken,
  expiryOf,
  generateToken,
  isBootstrapToken,
  listBootstrapTokens,
} from "../nodes/bootstrap-tokens.ts";
import { authorityHash } from "../nodes/join-by-token.ts";
import { parseTokenOptions, type TokenOptions } from "../options/token-options.ts";
import { isLoopback } from "../pki/served-names.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";
import { tokensText } from "./token-text.ts";

const fieldManager = "coxswain-token";

export async function runToken(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseTokenOptions(args, process.env, output));
  if (options === undefined) return;
  const { action, tokens, output } = options;
  if (action === "generate") return void process.stdout.write(`${generateToken(randomBytes)}\n`);
  const access = await accessOf(options);
  await using client = clientOf(access, fieldManager);
  try {
    if (action === "create") await create(client, access, options);
    else if (action === "delete") for (const token of tokens) await remove(client, token);
    else {
      const listed = await listBootstrapTokens(client);
      process.stdout.write(output === "json" ? `${JSON.stringify(listed, undefined, 2)}\n` : tokensText(listed, systemClock.now()));
    }
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(messageOf(error), { cause: error });
  }
}

async function create(client: Client, access: ClusterAccess, options: TokenOptions): Promise<void> {
  const { tokens, ttlMs, usages, groups, description, printJoinCommand } = options;
  const [token = generateToken(randomBytes)] = tokens;
  if (!isBootstrapToken(token)) throw new StartError(`${token} is no token: it must be like abcdef.0123456789abcdef`);
  const joinCommand = printJoinCommand ? joinCommandOf(access, { token, server: options.server }) : undefined;
  const made: BootstrapToken = {
    ...{ token, expires: expiryOf(ttlMs, systemClock.now()) },
    ...{ usages, groups: groups ?? [defaultTokenGroup], description },
  };
  await createBootstrapToken(client, made);
  if (groups === undefined) await bindJoiningRoles(client);
  process.stdout.write(`${joinCommand ?? token}\n`);
  if (usages.includes("authentication") && !(await isAccepted(access, token)))
    process.stderr.write("coxswain: the server does not accept the token; start it with --enable-bootstrap-token-auth\n");
}

async function isAccepted({ cluster, user, namespace }: ClusterAccess, token: string): Promise<boolean> {
  const withToken = { ...emptied(user), token };
  await using client = clientOf({ cluster, user: withToken, namespace }, fieldManager);
  try {
    await client.resource(selfSubjectReviews).create({});
    return true;
  } catch (error) {
    if (isUnauthorized(error)) return false;
    throw error;
  }
}

/** Without what says who the administrator is. */
const emptied = (user: ClusterAccess["user"]): ClusterAccess["user"] => ({
  ...user,
  ...{ clientCertificate: "", clientKey: "", clientCertificateData: undefined, clientKeyData: undefined },
  ...{ tokenFile: "", username: "", password: "", exec: undefined },
});

async function remove(client: Client, token: string): Promise<void> {
  const [id = ""] = token.split(".");
  try {
    await deleteBootstrapToken(client, id);
  } catch (error) {
    throw isNotFound(error) ? new StartError(`there is no token with the id ${id}`) : error;
  }
  process.stdout.write(`bootstrap token "${id}" deleted\n`);
}

interface Join {
  readonly token: string;
  readonly server: string | undefined;
}

function joinCommandOf({ cluster }: ClusterAccess, { token, server }: Join): string {
  const authority = cluster.certificateAuthorityData ?? (cluster.certificateAuthority && readFileSync(cluster.certificateAuthority));
  if (authority === undefined || authority === "") throw new StartError("the kubeconfig does not say which authority the server has");
  const hash = authorityHash(new X509Certificate(authority));
  const url = server ?? cluster.server;
  if (isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, "")))
    process.stderr.write(`coxswain: only this machine reaches ${url}; for another, name the server's address with --server\n`);
  return `coxswain kubelet --server=${url} --token=${token} --discovery-token-ca-cert-hash=${hash}`;
}
