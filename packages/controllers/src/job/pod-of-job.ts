/** A Pod as a Job makes it of its template. */
import type { coreV1 } from "@coxswain/api";
import { jobs } from "@coxswain/client";
import { controllerReference } from "../shared/pods/claim.ts";
import { podFromTemplate } from "../shared/pods/pod-from-template.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { failureCountAnnotation, failuresBefore, ignoredFailureCountAnnotation, indexAnnotation, trackingFinalizer } from "./job-pods.ts";
import type { Job } from "./job-settings.ts";
import { isFailureIgnored } from "./pod-failure-policy.ts";

/** `replaced`: the last that failed of its index, where each index has its own backoff limit. */
export function podOfJob(job: Job, index: number | undefined, replaced: Pod | undefined): Pod {
  const { name = "" } = job.metadata ?? {};
  const pod = podFromTemplate(job.spec?.template, name, controllerReference(job, jobs));
  const finalizers = pod.metadata?.finalizers ?? [];
  const tracked = finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer];
  const metadata = { ...pod.metadata, finalizers: tracked };
  if (index === undefined) return { ...pod, metadata };
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: namePrefix(name, index),
      labels: { ...metadata.labels, [indexAnnotation]: `${index}` },
      annotations: { ...metadata.annotations, [indexAnnotation]: `${index}`, ...failureAnnotations(job, replaced) },
    },
    ...(pod.spec === undefined ? {} : { spec: { ...withIndexVariables(pod.spec), hostname: `${name}-${index}` } }),
  };
}

/** The server puts five characters behind it, and the whole must be a host's name. */
const longestPrefix = 58;

function namePrefix(name: string, index: number): string {
  const end = `-${index}-`;
  return name.slice(0, longestPrefix - end.length) + end;
}

function failureAnnotations({ spec }: Job, replaced: Pod | undefined): Record<string, string> {
  if (spec?.backoffLimitPerIndex === undefined) return {};
  const before = replaced === undefined ? { counted: 0, ignored: 0 } : failuresBefore(replaced);
  const isIgnored = replaced !== undefined && isFailureIgnored(spec.podFailurePolicy, replaced);
  const counted = before.counted + Number(replaced !== undefined && !isIgnored);
  const ignored = before.ignored + Number(isIgnored);
  return {
    [failureCountAnnotation]: `${counted}`,
    ...(ignored > 0 ? { [ignoredFailureCountAnnotation]: `${ignored}` } : {}),
  };
}

const withIndexVariables = (spec: coreV1.PodSpec): coreV1.PodSpec => ({
  ...spec,
  ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withIndexVariable) }),
  containers: spec.containers.map(withIndexVariable),
});

function withIndexVariable(container: coreV1.Container): coreV1.Container {
  const name = "JOB_COMPLETION_INDEX";
  const { env = [] } = container;
  if (env.some((variable) => variable.name === name)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${indexAnnotation}']` };
  return { ...container, env: [...env, { name, valueFrom: { fieldRef } }] };
}
