/** Names of servers of one user. */
import { InvalidArgumentError } from "commander";

/** Of what is started without a name, and with the default data directory. */
export const defaultName = "default";

/** Of what is started without a name, and with another data directory or none. */
export const unnamed = (pid: number): string => `pid-${pid}`;

/** Of its cluster and context in kubeconfigs. */
export const contextName = (name: string | undefined): string =>
  name === undefined || name === defaultName ? "coxswain" : `coxswain-${name}`;

/** As a label of DNS, because contexts, folders and files are called so. */
export function parseName(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError("It must have lower-case letters, digits and '-' alone, 63 at most, and no '-' at its ends.");
  return text;
}
