/**
 * The seam between a decoded write and its storage: plugins change an object, reserve what it needs, then say whether it may
 * stand.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
import type { ResourceDefinition } from "@coxswain/api";
import type { GroupResource, KubeObject } from "@coxswain/machinery";
import type { Compare, Replacement } from "@coxswain/store";
import type { AdmissionPluginConfigurations } from "./admission-configuration.ts";
import type { UserInfo } from "./authenticator.ts";

/** The resource of the object that is written. */
export interface AdmissionResource {
  readonly definition: ResourceDefinition;
  /** For errors. */
  readonly groupResource: GroupResource;
  /** Under which its objects are stored: `/registry/configmaps/`. */
  readonly prefix: string;
}

/** What is done to the object; `connect` for streams and proxies. */
export type AdmissionOperation = "create" | "update" | "delete" | "connect";

/** The options of a deletion as far as plugins care for them. */
export interface DeletionOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan" | undefined;
  /** The older `orphanDependents: false`. */
  readonly cascades?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Kubernetes' admission attributes. The kind of the objects is that of the resource, or of its subresource: `kindOf` has it. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly resource: AdmissionResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Made for this request; undefined for a delete. Of a connect it is its options, such as PodExecOptions. */
  readonly object: KubeObject | undefined;
  readonly previous: Readonly<KubeObject> | undefined;
  /** The query of a create or update, or what a delete was asked with; `optionsOf` makes Kubernetes' object of it. */
  readonly options?: URLSearchParams | DeletionOptions;
  readonly warnings: string[];
  /** For the audit log: those of the audited request, or made by the first plugin that has something to say there. */
  auditAnnotations?: Map<string, string> | undefined;
  /** Made by the first plugin that wants the others to see what it has changed. */
  reinvocation?: Reinvocation;
  /** Where a new object is to be stored: what it relies on beside itself, as plugins found it in `mutate`. */
  readonly compares?: Compare[];
}

/** The second round of `mutate`, in which every plugin is asked once more. */
export interface Reinvocation {
  needed: boolean;
  /** 0 in the first round. */
  round: 0 | 1;
  /** What plugins keep of the first round, by their names. */
  readonly kept: Map<string, unknown>;
}

/** What was reserved for a write has been taken by another server before it was stored: the write begins again, with other values. */
export class ReservationLost extends Error {}

export interface AdmissionPlugin {
  handles(request: AdmissionRequest): boolean;
  /** Changes `request.object` in place. */
  mutate?(request: AdmissionRequest): void | Promise<void>;
  /**
   * Reserves what the write needs (addresses, ports) and sets it in the object. Disposed once the write is done:
   * what was stored then speaks for itself, and what was not is free again. Deletions are announced by it, too.
   */
  reserve?(request: AdmissionRequest): Disposable | undefined | Promise<Disposable | undefined>;
  /** Throws forbidden() or invalid() when the write may not happen. */
  validate?(request: AdmissionRequest): void | Promise<void>;
  /**
   * What a new object relies on beside itself: it is stored only if that is still so. Called again when it was not. Throws as
   * `validate`.
   */
  compare?(request: AdmissionRequest): Promise<Compare | undefined>;
  /** Whether `mutate` or `validate` may wait for another server with such a request: no lock is held for those meanwhile. */
  mayWait?(operation: AdmissionOperation, resource: AdmissionResource, subresource: string): boolean;
  /**
   * Objects that change together with the one that is written, or not at all. Called when it is written, and again when they
   * have changed meanwhile. Throws as `validate`, or ReservationLost.
   */
  charge?(request: AdmissionRequest): readonly Replacement[];
  /** Called before the first request, for what it keeps of the store; it lets go of that at the end of the server. */
  start?(): Promise<Disposable>;
}

/** How a plugin is made, once for each server, from the services that it needs and no others. */
export interface AdmissionPluginFactory<Services = unknown> {
  /** As kube-apiserver's `--enable-admission-plugins` and `--disable-admission-plugins` take it. */
  readonly name: string;
  /** Left out where it is on by default. */
  readonly offByDefault?: true;
  create(services: Services): AdmissionPlugin;
}

/** All plugins of a server that are enabled, one after another. Each step throws what the first plugin throws. */
export interface Admission {
  mutate(request: AdmissionRequest): Promise<void>;
  /** Whether something is reserved for such a write, which begins again where that is lost. */
  reserves(request: AdmissionRequest): boolean;
  /** Undefined where nothing is reserved for it. */
  reserve(request: AdmissionRequest): Promise<Disposable> | undefined;
  validate(request: AdmissionRequest): Promise<void>;
  comparesOf(request: AdmissionRequest): Promise<readonly Compare[]>;
  /** Undefined where nothing else changes with any such object. */
  chargesOf(request: AdmissionRequest): (() => readonly Replacement[]) | undefined;
  mayWait(operation: AdmissionOperation, resource: AdmissionResource, subresource: string): boolean;
  start(): Promise<Disposable>;
}

/** Which plugins are enabled, and which are not: by their names, as kube-apiserver's `--enable-admission-plugins` and `--disable-admission-plugins` take them. */
export interface AdmissionChoice {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  readonly configuration?: AdmissionPluginConfigurations;
}
