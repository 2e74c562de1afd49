/** The server whose past is asked for, by its API. */
import { type Client, type ClusterAccess, type DiscoveredResource, isNotFound, type KubeObject, StatusError } from "@coxswain/client";
import {
  type InvariantReport,
  messageOf,
  type ObjectBlame,
  type ObjectHistoryReport,
  type PastMoment,
  parseJson,
} from "@coxswain/machinery";
import { accessOf, clientOf } from "../components/run-standalone.ts";
import { chooseInstance } from "../instances/choose-instance.ts";
import { instancesDir, runningInstances } from "../instances/instance-files.ts";
import type { Environment } from "../options/base-command.ts";
import type { PastObjectOptions, PastServerOptions } from "../options/past-options.ts";
import { StartError } from "../process/start-error.ts";
import { findResource } from "./find-resource.ts";

/** An object of the server, which may be there no more. */
export interface PastObjectRef {
  readonly resource: DiscoveredResource;
  /** Undefined for what is in none. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The server that the options choose, or else the one that runs here, as for `coxswain kubectl`, or else kubectl's. @throws StartError */
export async function choosePastServer({ name, kubeconfig, context }: PastServerOptions, env: Environment): Promise<ClusterAccess> {
  if (kubeconfig !== undefined || context !== undefined) return accessOf({ kubeconfig, context });
  const running = runningInstances(instancesDir(env));
  if (name === undefined && running.length === 0) return accessOf({ kubeconfig: undefined, context: undefined });
  const { name: chosen, serving } = chooseInstance(running, name);
  if (serving === undefined) throw new StartError(`${chosen} still starts; try again in a moment`);
  return accessOf({ kubeconfig: serving.kubeconfig, context: undefined });
}

export class PastServer implements AsyncDisposable {
  readonly client: Client;
  readonly namespace: string;

  constructor(access: ClusterAccess, fieldManager: string) {
    this.client = clientOf(access, fieldManager);
    this.namespace = access.namespace;
  }

  /** @throws StartError for what the server does not have */
  async find({ resource: word, object: name, namespace }: PastObjectOptions): Promise<PastObjectRef> {
    if (/^\.{1,2}$|[/%]/.test(name)) throw new StartError(`${JSON.stringify(name)} is no name of an object`);
    const { resources } = await this.#orSentence(this.client.discover());
    const resource = findResource(resources, word);
    if (resource === undefined) throw new StartError(`the server doesn't have a resource type ${JSON.stringify(word)}`);
    return { resource, namespace: resource.namespaced ? (namespace ?? this.namespace) : undefined, name };
  }

  /** Which state a moment is. @throws StartError */
  async moment(at: string): Promise<PastMoment> {
    try {
      return await this.#json<PastMoment>("/coxswain/v1/moment", { at });
    } catch (error) {
      if (isNotFound(error))
        throw new StartError("the server says nothing about its past: it is no coxswain, or keeps no history", { cause: error });
      throw sentenceOf(error);
    }
  }

  /** Newest first. @throws StartError */
  history(
    object: PastObjectRef,
    { at, limit }: { readonly at?: string | undefined; readonly limit: number },
  ): Promise<ObjectHistoryReport> {
    return this.#orSentence(this.#json<ObjectHistoryReport>(`/coxswain/v1/history${pathOf(object)}`, { at, limit: String(limit) }));
  }

  /** @throws StartError */
  blame(object: PastObjectRef, at: string | undefined): Promise<ObjectBlame> {
    return this.#orSentence(this.#json<ObjectBlame>(`/coxswain/v1/blame${pathOf(object)}`, { at }));
  }

  /** @throws StartError */
  async invariants(): Promise<InvariantReport> {
    try {
      return await this.#json<InvariantReport>("/coxswain/v1/invariants", {});
    } catch (error) {
      if (isNotFound(error)) throw new StartError("the server checks no invariants: it is told to by --invariants=FILE", { cause: error });
      throw sentenceOf(error);
    }
  }

  /** The object as it was; undefined where there was none. @throws StartError */
  async objectAt(object: PastObjectRef, at: string | undefined): Promise<KubeObject | undefined> {
    try {
      return await this.#json<KubeObject>(`/coxswain/v1/past${pathOf(object)}`, { at });
    } catch (error) {
      if (isNotFound(error) && error.status.details?.name !== undefined) return undefined;
      throw sentenceOf(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
  }

  async #json<T>(path: string, parameters: Readonly<Record<string, string | undefined>>): Promise<T> {
    const query = new URLSearchParams(Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    const headers = { accept: "application/json" };
    const response = await this.client.request({ method: "GET", path: query.size === 0 ? path : `${path}?${query}`, headers });
    return parseJson(await response.bytes()) as T;
  }

  async #orSentence<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw sentenceOf(error);
    }
  }
}

/** What a server refuses, or a connection that fails, is for the user to read as one sentence. */
export const sentenceOf = (error: unknown): StartError =>
  error instanceof StartError ? error : new StartError(error instanceof StatusError ? error.message : messageOf(error), { cause: error });

function pathOf({ resource: { group, version, resource }, namespace, name }: PastObjectRef): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`}/${resource}/${encodeURIComponent(name)}`;
}
