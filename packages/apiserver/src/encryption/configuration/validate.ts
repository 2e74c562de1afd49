/** What is wrong with an EncryptionConfiguration, in Kubernetes' words. */
import { type FieldError, field } from "@coxswain/machinery";
import type { EncryptionConfiguration, KeyConfiguration, KeysConfiguration, ProviderConfiguration } from "./document.ts";
import { parseGroupResource } from "./resource-name.ts";
import { validateKms } from "./validate-kms.ts";

/** @param reload whether the file is followed, which asks for more */
export function validateEncryptionConfiguration({ resources }: EncryptionConfiguration, reload: boolean): FieldError[] {
  if ((resources ?? []).length === 0) return [field.required("resources", "at least one resources is required")];
  const errors: FieldError[] = [];
  const kmsNames = new Set<string>();
  for (const [i, { resources: names, providers }] of (resources ?? []).entries()) {
    const at = `resources[${i}].resources`;
    if ((names ?? []).length === 0) errors.push(field.required(at, `at least one ${at} is required`));
    errors.push(...validateOverlap(names ?? [], at), ...validateNames(names ?? [], at));
    const under = `resources[${i}].providers`;
    if ((providers ?? []).length === 0) errors.push(field.required(under, `at least one ${under} is required`));
    for (const [j, provider] of (providers ?? []).entries()) {
      const path = `${under}[${j}]`;
      errors.push(...validateSingle(provider, path));
      if (provider.kms != null) errors.push(...validateKms(provider.kms, { path: `${path}.kms`, names: kmsNames, reload }));
      else errors.push(...validateKeys(provider, path));
      if (provider.kms != null) kmsNames.add(provider.kms.name ?? "");
    }
  }
  return errors;
}

function validateOverlap(names: readonly string[], path: string): FieldError[] {
  const parsed = names.map(parseGroupResource);
  const pairs = parsed.flatMap((one, i) => parsed.filter((_, j) => i !== j).map((other) => ({ one, other })));
  const isSame = ({ one, other }: (typeof pairs)[number]): boolean => one.group === other.group && one.resource === other.resource;
  const duplicates = pairs.filter(isSame);
  // The first pair of equal names counts as that alone.
  const rest = pairs.filter((pair) => pair !== duplicates[0]);
  const overlaps = rest.some(
    ({ one, other }) =>
      (one.group === "*" && one.resource === "*") || (one.group === other.group && (one.resource === "*" || other.resource === "*")),
  );
  const errors: FieldError[] = [];
  if (duplicates.length > 0) errors.push(field.invalid(path, names, "the same resource cannot be specified multiple times"));
  if (overlaps) {
    const example = "such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
    errors.push(field.invalid(path, names, `using overlapping resources ${example}`));
  }
  return errors;
}

const withoutApi = new Set(["apiserveripinfo", "serviceipallocations", "servicenodeportallocations"]);

const validateNames = (names: readonly string[], path: string): FieldError[] =>
  names.flatMap((name, i) => {
    const problem = problemOfName(name);
    return problem === undefined ? [] : [field.invalid(`${path}[${i}]`, name, problem)];
  });

function problemOfName(name: string): string | undefined {
  if (name.toLowerCase() !== name) return "resource name should not contain capital letters";
  if (name === "*") return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (withoutApi.has(name)) return "resources which do not have REST API/s cannot be encrypted";
  const { group, resource } = parseGroupResource(name);
  if (group === "events.k8s.io")
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === "extensions") return "'extensions' group has been removed and cannot be used for encryption";
  if (group === "*" && resource !== "*") return "encrypting the same resource across groups is not supported";
  return undefined;
}

function validateSingle(provider: ProviderConfiguration, path: string): FieldError[] {
  const found = Object.values(provider).filter((one) => one != null).length;
  if (found === 1) return [];
  const what =
    found === 0
      ? "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity"
      : "more than one provider specified in a single element, should split into different list elements";
  return [field.invalid(path, shown(provider), what)];
}

/** Without secrets. */
function shown({ aesgcm, aescbc, secretbox, identity, kms }: ProviderConfiguration): object {
  const keys = (of: KeysConfiguration | null | undefined) =>
    of == null ? null : { Keys: (of.keys ?? []).map(({ name = "" }) => ({ Name: name, Secret: "REDACTED" })) };
  return {
    AESGCM: keys(aesgcm),
    AESCBC: keys(aescbc),
    Secretbox: keys(secretbox),
    Identity: identity ?? null,
    KMS: kms == null ? null : { Name: kms.name ?? "", Endpoint: kms.endpoint ?? "" },
  };
}

const aesSizes = [16, 24, 32];

function validateKeys({ aesgcm, aescbc, secretbox }: ProviderConfiguration, path: string): FieldError[] {
  if (aesgcm != null) return keysProblems(aesgcm, `${path}.aesgcm.keys`, aesSizes);
  if (aescbc != null) return keysProblems(aescbc, `${path}.aescbc.keys`, aesSizes);
  return secretbox == null ? [] : keysProblems(secretbox, `${path}.secretbox.keys`, [32]);
}

function keysProblems({ keys }: KeysConfiguration, path: string, sizes: readonly number[]): FieldError[] {
  if ((keys ?? []).length === 0) return [field.required(path, "at least one keys is required")];
  return (keys ?? []).flatMap((key, i) => [...keyProblems(key, `${path}[${i}]`, sizes)]);
}

function* keyProblems({ name = "", secret = "" }: KeyConfiguration, path: string, sizes: readonly number[]): Generator<FieldError> {
  if (name === "") yield field.required(`${path}.name`, "name is a mandatory field for a key");
  if (secret === "") {
    yield field.required(`${path}.secret`, "secret is a mandatory field for a key");
    return;
  }
  const bytes = decodeSecret(secret);
  if (bytes === undefined) yield field.invalid(`${path}.secret`, "REDACTED", "secrets must be base64 encoded");
  else if (!sizes.includes(bytes.byteLength)) {
    const detail = `secret is not of the expected length, got ${bytes.byteLength}, expected one of [${sizes.join(" ")}]`;
    yield field.invalid(`${path}.secret`, "REDACTED", detail);
  }
}

/** Undefined for what is no base64, which Node would read as far as it goes. */
export function decodeSecret(secret: string): Buffer | undefined {
  const text = secret.replace(/[\r\n]/g, "");
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
}
