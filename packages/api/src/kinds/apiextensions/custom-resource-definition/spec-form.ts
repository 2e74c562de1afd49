/**
 * A CustomResourceDefinition in the form that Kubernetes checks, and by which its errors name fields: what all versions
 * say alike stands outside of them, as it did in v1beta1. `spec.validation` in an error is the schema of all versions.
 */
import { deepEqual } from "@coxswain/machinery";
import type { JsonSchema } from "@coxswain/schema";
import { goSchema } from "@coxswain/schema";
import type { CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from "@coxswain/types/apiextensions-v1";

const partNames = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

/** What versions may say each for itself or all alike. */
export type Parts = Partial<Pick<CustomResourceDefinitionVersion, (typeof partNames)[number]>>;

export interface SpecForm {
  readonly shared: Readonly<Parts>;
  /** Without what is shared. */
  readonly versions: readonly Readonly<CustomResourceDefinitionVersion>[];
}

export function formOf(spec: Readonly<CustomResourceDefinitionSpec>): SpecForm {
  const versions = spec.versions ?? [];
  const [first] = versions;
  const alike = partNames.filter((name) => versions.every((version) => deepEqual(said(version[name]), said(first?.[name]))));
  const shared: Record<string, unknown> = {};
  for (const name of alike) if (said(first?.[name]) !== undefined) shared[name] = first?.[name];
  return { shared, versions: versions.map((version) => without(version, alike)) };
}

/** An empty list says as little as none. */
const said = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? undefined : value);

function without(version: Readonly<CustomResourceDefinitionVersion>, names: readonly (keyof Parts)[]): CustomResourceDefinitionVersion {
  const rest = { ...version };
  for (const name of names) delete rest[name];
  return rest;
}

/** The schema of a version or of all; what clients sent was checked for its types. */
export const schemaOf = ({ schema }: Readonly<Parts>): JsonSchema | undefined => schema?.openAPIV3Schema as JsonSchema | undefined;

/** All versions' schemas. */
export const schemasOf = ({ versions }: Readonly<CustomResourceDefinitionSpec>): JsonSchema[] =>
  (versions ?? []).map(schemaOf).filter((schema) => schema !== undefined);

/** More versions are shown as they were sent, which is shorter. */
const maxShown = 20;

/** The versions as error messages show them: with the names and the zeros of Go. */
export const goVersions = (versions: SpecForm["versions"]): unknown => (versions.length > maxShown ? versions : versions.map(goVersion));

const goVersion = (version: SpecForm["versions"][number]): unknown => ({
  Name: version.name,
  Served: version.served,
  Storage: version.storage,
  Deprecated: version.deprecated ?? false,
  DeprecationWarning: version.deprecationWarning ?? null,
  Schema: version.schema === undefined ? null : { OpenAPIV3Schema: goSchemaOf(version) },
  Subresources: version.subresources === undefined ? null : goSubresources(version.subresources),
  AdditionalPrinterColumns: version.additionalPrinterColumns?.map(goColumn) ?? null,
  SelectableFields: version.selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null,
});

function goSchemaOf(version: Readonly<Parts>): unknown {
  const schema = schemaOf(version);
  return schema === undefined ? null : goSchema(schema);
}

const goSubresources = ({ status, scale }: NonNullable<Parts["subresources"]>): unknown => ({
  Status: status === undefined ? null : {},
  Scale:
    scale === undefined
      ? null
      : {
          SpecReplicasPath: scale.specReplicasPath,
          StatusReplicasPath: scale.statusReplicasPath,
          LabelSelectorPath: scale.labelSelectorPath ?? null,
        },
});

const goColumn = (column: NonNullable<Parts["additionalPrinterColumns"]>[number]): unknown => ({
  Name: column.name,
  Type: column.type,
  Format: column.format ?? "",
  Description: column.description ?? "",
  Priority: column.priority ?? 0,
  JSONPath: column.jsonPath,
});

/** A text as errors show it where Go has a pointer to it: quoted as JSON. */
export const asJson = (text: string): unknown => ({ toJSON: () => text });
