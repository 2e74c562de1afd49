/** What is wrong with a configuration, in kube-scheduler's words and order. */
import { deepEqual, field, parseGoDuration, validateQualifiedName } from "@coxswain/machinery";
import type { ArgsReader } from "./args.ts";
import type { ExtenderConfiguration, KubeSchedulerConfiguration, KubeSchedulerProfile } from "./document.ts";

type FieldError = field.FieldError;

/** Profiles have their names already. */
export function validateConfiguration(
  config: KubeSchedulerConfiguration & { readonly profiles: readonly KubeSchedulerProfile[] },
  readers: ReadonlyMap<string, ArgsReader>,
): readonly FieldError[] {
  const { parallelism = 16, profiles, percentageOfNodesToScore, extenders = [] } = config;
  const { podInitialBackoffSeconds: first = 1, podMaxBackoffSeconds: longest = 10 } = config;
  return [
    ...leaderElectionErrors(config.leaderElection ?? {}),
    ...(parallelism > 0 ? [] : [field.invalid("parallelism", parallelism, "should be an integer value greater than zero")]),
    ...profiles.flatMap((profile, i) => [...profileErrors(profile, `profiles[${i}]`, readers), ...duplicateName(profiles, i)]),
    ...queueSortErrors(profiles),
    ...percentageErrors("percentageOfNodesToScore", percentageOfNodesToScore),
    ...(first > 0 ? [] : [field.invalid("podInitialBackoffSeconds", first, "must be greater than 0")]),
    ...(longest >= first
      ? []
      : [field.invalid("podMaxBackoffSeconds", longest, "must be greater than or equal to PodInitialBackoffSeconds")]),
    ...extenderErrors(extenders),
  ];
}

function leaderElectionErrors(election: NonNullable<KubeSchedulerConfiguration["leaderElection"]>): FieldError[] {
  if (election.leaderElect === false) return [];
  const { leaseDuration = "15s", renewDeadline = "10s", retryPeriod = "2s", resourceLock = "leases" } = election;
  const at = (name: string): string => `leaderElection.${name}`;
  const ms = (text: string): number => Number(parseGoDuration(text));
  const errors: FieldError[] = [];
  for (const [name, text] of Object.entries({ leaseDuration, renewDeadline, retryPeriod }))
    if (ms(text) <= 0) errors.push(field.invalid(at(name), text, "must be greater than zero"));
  if (ms(leaseDuration) < ms(renewDeadline))
    errors.push(field.invalid(at("leaseDuration"), renewDeadline, "LeaseDuration must be greater than RenewDeadline"));
  if (resourceLock !== "leases") errors.push(field.invalid(at("resourceLock"), resourceLock, 'resourceLock value must be "leases"'));
  return errors;
}

function duplicateName(profiles: readonly KubeSchedulerProfile[], i: number): FieldError[] {
  const { schedulerName = "" } = profiles[i] ?? {};
  const isFirst = profiles.findIndex((profile) => (profile.schedulerName ?? "") === schedulerName) === i;
  // The value is a path in Go, which prints as this.
  return isFirst ? [] : [field.duplicate(`profiles[${i}].schedulerName`, {})];
}

function profileErrors(profile: KubeSchedulerProfile, path: string, readers: ReadonlyMap<string, ArgsReader>): FieldError[] {
  const { schedulerName = "", percentageOfNodesToScore, pluginConfig = [] } = profile;
  const seen = new Set<string>();
  return [
    ...(schedulerName === "" ? [field.required(`${path}.schedulerName`)] : []),
    ...percentageErrors(`${path}.percentageOfNodesToScore`, percentageOfNodesToScore),
    ...pluginConfig.flatMap(({ name, args = {} }, i) => {
      const at = `${path}.pluginConfig[${i}]`;
      const repeated = seen.has(name) ? [field.duplicate(at, name)] : [];
      seen.add(name);
      return [...repeated, ...(readers.get(name)?.(args) ?? []).map((error) => field.under(`${at}.args`, error))];
    }),
  ];
}

const percentageErrors = (path: string, percentage = 0): FieldError[] =>
  percentage >= 0 && percentage <= 100 ? [] : [field.invalid(path, percentage, "not in valid range [0-100]")];

/** There is one queue for all profiles. */
function queueSortErrors(profiles: readonly KubeSchedulerProfile[]): FieldError[] {
  const [first, ...others] = profiles.map(({ plugins }) => ({ enabled: [], disabled: [], ...plugins?.queueSort }));
  if (first === undefined) return [];
  const goNames = ({ enabled, disabled }: typeof first) => ({
    Enabled: enabled.length === 0 ? null : enabled,
    Disabled: disabled.length === 0 ? null : disabled,
  });
  const { length } = first.enabled;
  return [
    ...(length > 1 ? [field.invalid("profiles[0].plugins.queueSort.Enabled", length, "only one queue sort plugin can be enabled")] : []),
    ...others.flatMap((one, i) =>
      deepEqual(one, first)
        ? []
        : [field.invalid(`profiles[${i + 1}].plugins.queueSort`, goNames(one), "must be the same for all profiles")],
    ),
  ];
}

function extenderErrors(extenders: readonly ExtenderConfiguration[]): FieldError[] {
  const seen = new Set<string>();
  const errors = extenders.flatMap(({ prioritizeVerb = "", weight = 0, managedResources = [] }, i) => [
    ...(prioritizeVerb !== "" && weight <= 0
      ? [field.invalid(`extenders[${i}].weight`, weight, "must have a positive weight applied to it")]
      : []),
    ...managedResources.flatMap(({ name }, j) => {
      const at = `extenders[${i}].managedResources[${j}].name`;
      const repeated = seen.has(name) ? [field.invalid(at, name, "duplicate extender managed resource name")] : [];
      seen.add(name);
      return [...extendedNameErrors(at, name), ...repeated];
    }),
  ]);
  const binders = extenders.filter(({ bindVerb = "" }) => bindVerb !== "").length;
  if (binders > 1)
    errors.push(field.invalid("extenders", `found ${binders} extenders implementing bind`, "only one extender can implement bind"));
  return errors;
}

function extendedNameErrors(path: string, name: string): FieldError[] {
  const problems = validateQualifiedName(name);
  if (problems.length > 0) return problems.map((problem) => field.invalid(path, name, problem));
  const isExtended = name.includes("/") && !/(^|\.)kubernetes\.io\//.test(name) && !name.startsWith("requests.");
  return isExtended ? [] : [field.invalid(path, name, "is an invalid extended resource name")];
}
