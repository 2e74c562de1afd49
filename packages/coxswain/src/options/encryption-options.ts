/** How what is stored is encrypted: options that are called as kube-apiserver's. */
import type { Command } from "commander";

/** What the options of encryption come to; the file is not read yet. */
export interface EncryptionSettings {
  /** An EncryptionConfiguration. */
  readonly configFile: string;
  /** Whether it counts as it is at any time. */
  readonly reload: boolean;
}

export interface ParsedEncryptionOptions {
  readonly encryptionProviderConfig?: string | undefined;
  readonly encryptionProviderConfigAutomaticReload?: true | undefined;
}

/** For commands that use the file once. */
export const addEncryptionFileOption = (command: Command): Command =>
  command.option("--encryption-provider-config <file>", "an EncryptionConfiguration: which resources are stored encrypted, and with what");

export const addEncryptionOptions = (command: Command): Command =>
  addEncryptionFileOption(command).option("--encryption-provider-config-automatic-reload", "follow that file as it changes");

/** Undefined without a file. */
export const encryptionSettingsOf = (parsed: ParsedEncryptionOptions): EncryptionSettings | undefined =>
  parsed.encryptionProviderConfig === undefined
    ? undefined
    : { configFile: parsed.encryptionProviderConfig, reload: parsed.encryptionProviderConfigAutomaticReload === true };
