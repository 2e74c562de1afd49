/**
 * Whether the server that an APIService names can be asked.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/api-service-v1/#APIServiceStatus
 */
import type { coreV1, discoveryV1 } from "@coxswain/api";
import { type Clock, goQuote, type KubeObject, messageOf } from "@coxswain/machinery";
import { hostOf } from "../kubelets/target.ts";
import { listObjects, type ObjectReader, readObject } from "../storage/object-reader.ts";
import type { Endpoint } from "../webhooks/client-config.ts";
import { transportProblem } from "../webhooks/webhook-error.ts";
import { type Backend, pathOf } from "./backend.ts";
import { type BackendConnections, targetOf } from "./backend-connections.ts";
import { deadlineSignal } from "./deadline-signal.ts";
import { identityHeaders } from "./identity-headers.ts";

export interface Availability {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export interface AvailabilityCheckOptions {
  readonly reader: ObjectReader;
  readonly connections: Pick<BackendConnections, "endpointOf" | "send">;
  readonly clock: Clock;
}

/** The identity with which the server asks on its own behalf: one that may do everything. */
export const aggregatorUser = { name: "system:kube-aggregator", uid: "", groups: ["system:masters"], extra: {} };

const discoveryTimeoutMs = 5_000;
/** A Service has many endpoints, of which one that answers is enough. */
const attempts = 5;

const unavailable = (reason: string, message: string): Availability => ({ status: "False", reason, message });

/** Never rejects: whatever keeps from finding out is what it finds. */
export async function checkAvailability(options: AvailabilityCheckOptions, backend: Backend): Promise<Availability> {
  return (await serviceProblem(options.reader, backend)) ?? (await discoveryProblem(options, backend)) ?? passed;
}

const passed: Availability = { status: "True", reason: "Passed", message: "all checks passed" };

async function serviceProblem(reader: ObjectReader, { service: { namespace, name, port } }: Backend): Promise<Availability | undefined> {
  const subject = `service/${name} in ${goQuote(namespace)}`;
  const unknown = (reason: string) => (error: unknown) =>
    ({ status: "Unknown", reason, message: `${subject} cannot be checked due to: ${messageOf(error)}` }) as const;
  try {
    const service = await readObject<coreV1.Service>(reader, { group: "", version: "v1", resource: "services" }, namespace, name);
    if (service === undefined) return unavailable("ServiceNotFound", `${subject} is not present`);
    if (service.spec?.type !== "ClusterIP") return undefined;
    const found = service.spec.ports?.find((one) => one.port === port);
    if (found === undefined) return unavailable("ServicePortError", `${subject} is not listening on port ${port}`);
    return await endpointProblem(reader, { namespace, name, portName: found.name ?? "" }).catch(unknown("EndpointsAccessError"));
  } catch (error) {
    return unknown("ServiceAccessError")(error);
  }
}

interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly portName: string;
}

/** Where no controller makes slices of a Service's Endpoints, these count themselves, as for who resolves it. */
async function endpointProblem(reader: ObjectReader, { namespace, name, portName }: ServicePort): Promise<Availability | undefined> {
  const subject = `service/${name} in ${goQuote(namespace)}`;
  const slices = await listObjects<discoveryV1.EndpointSlice & KubeObject>(
    reader,
    { group: "discovery.k8s.io", version: "v1", resource: "endpointslices" },
    namespace,
  );
  const own = slices.filter(({ metadata }) => metadata?.labels?.["kubernetes.io/service-name"] === name);
  const endpoints =
    own.length > 0
      ? undefined
      : await readObject<coreV1.Endpoints>(reader, { group: "", version: "v1", resource: "endpoints" }, namespace, name);
  if (own.length === 0 && endpoints === undefined) return unavailable("EndpointsNotFound", `cannot find endpointslices for ${subject}`);
  const hasReady =
    own.some(
      (slice) => slice.endpoints?.some(({ conditions }) => conditions?.ready !== false) === true && hasPort(slice.ports ?? [], portName),
    ) || (endpoints?.subsets ?? []).some(({ addresses = [], ports = [] }) => addresses.length > 0 && hasPort(ports, portName));
  if (hasReady) return undefined;
  return unavailable("MissingEndpoints", `endpointslices for ${subject} have no addresses with port name ${goQuote(portName)}`);
}

const hasPort = (ports: readonly { readonly name?: string; readonly port?: number }[], wanted: string): boolean =>
  ports.some(({ name = "", port }) => name === wanted && port !== undefined);

/** Asks for what every such server has to serve. */
async function discoveryProblem(options: AvailabilityCheckOptions, backend: Backend): Promise<Availability | undefined> {
  const endpoints = new Map<string, Endpoint>();
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      const endpoint = await options.connections.endpointOf(backend);
      // At a cluster IP each may come to another server.
      endpoints.set(endpoint.isVirtual === true ? String(attempt) : hostOf(targetOf(endpoint)), endpoint);
    } catch (error) {
      return unavailable("FailedDiscoveryCheck", messageOf(error));
    }
  }
  const problems = await Promise.all([...endpoints.values()].map((endpoint) => answerProblem(options, backend, endpoint)));
  const [problem] = problems;
  return problem === undefined || problems.includes(undefined) ? undefined : unavailable("FailedDiscoveryCheck", problem);
}

async function answerProblem(
  { connections, clock }: AvailabilityCheckOptions,
  backend: Backend,
  endpoint: Endpoint,
): Promise<string | undefined> {
  const path = pathOf(backend);
  const url = `https://${hostOf(targetOf(endpoint))}${path}`;
  using deadline = deadlineSignal(clock, discoveryTimeoutMs);
  try {
    const headers = identityHeaders(aggregatorUser);
    const answer = await connections.send(backend, { endpoint, method: "GET", path, headers, signal: deadline.signal });
    const { statusCode = 0 } = answer.response;
    answer.response.destroy();
    if (statusCode >= 200 && statusCode < 300) return undefined;
    return `failing or missing response from ${url}: bad status from ${url}: ${statusCode}`;
  } catch (error) {
    return `failing or missing response from ${url}: Get ${goQuote(url)}: ${transportProblem(error)}`;
  }
}
