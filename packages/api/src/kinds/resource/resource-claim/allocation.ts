/** What a claim was given, and what the drivers report of it. */
import { field, validateDns1123Label, validateInterfaceAddress } from "@coxswain/machinery";
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequest,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
} from "@coxswain/types/resource-v1";
import { addInvalid, type Errors, isSet, requiredOneOf } from "../../../validation/checks.ts";
import { validateConditions } from "../../../validation/conditions.ts";
import { validateNodeSelector } from "../../../validation/node-selector.ts";
import { validateBindingConditions } from "../../../validation/resource/binding-conditions.ts";
import { validateData, validateOpaque, validateRequestName, validateRequestNames } from "../../../validation/resource/device-claim.ts";
import { validateDriverName, validatePoolName } from "../../../validation/resource/driver-name.ts";
import { itself, validateList, validateSet } from "../../../validation/resource/lists.ts";
import { utf8Length } from "../../../validation/utf8-length.ts";
import { deviceKey, shownDevice } from "./allocated-device.ts";

const maxResults = 32;
const maxConfigurations = 64;
const maxConditions = 8;
const maxAddresses = 16;
const maxInterfaceNameBytes = 256;
const maxHardwareAddressBytes = 128;

export function validateAllocation(
  out: Errors,
  path: string,
  { devices = {}, nodeSelector }: Readonly<AllocationResult>,
  requests: readonly DeviceRequest[],
): void {
  validateList(out, `${path}.devices.results`, devices.results ?? [], {
    max: maxResults,
    validate: (errors, at, result) => {
      validateResult(errors, at, result, requests);
    },
  });
  validateList(out, `${path}.devices.config`, devices.config ?? [], {
    max: maxConfigurations,
    validate: (errors, at, config) => {
      requiredOneOf(errors, `${at}.source`, config.source, ["FromClaim", "FromClass"]);
      validateRequestNames(errors, `${at}.requests`, config.requests ?? [], requests);
      validateOpaque(errors, `${at}.opaque`, config.opaque);
    },
  });
  if (nodeSelector !== undefined) validateNodeSelector(out, `${path}.nodeSelector`, nodeSelector);
}

export function validateDeviceStatuses(
  out: Errors,
  path: string,
  statuses: readonly AllocatedDeviceStatus[],
  allocation: Readonly<AllocationResult> | undefined,
): void {
  const allocated = new Set(allocation?.devices?.results?.map(deviceKey));
  const check = (errors: Errors, at: string, status: AllocatedDeviceStatus) => {
    validateDevice(errors, at, status);
    if (!allocated.has(deviceKey(status))) {
      errors.push(field.invalid(at, shownDevice(status), "must be an allocated device in the claim"));
    }
    const { data, networkData } = status;
    const conditions = status.conditions ?? [];
    if (conditions.length > maxConditions) errors.push(field.tooMany(`${at}.conditions`, conditions.length, maxConditions));
    validateConditions(errors, `${at}.conditions`, conditions);
    if (isSet(data)) validateData(errors, `${at}.data`, data);
    if (isSet(networkData)) validateNetwork(errors, `${at}.networkData`, networkData);
  };
  validateSet(out, path, statuses, { max: Number.POSITIVE_INFINITY, validate: check, keyOf: deviceKey, shown: shownDevice });
}

function validateResult(out: Errors, path: string, result: DeviceRequestAllocationResult, requests: readonly DeviceRequest[]): void {
  validateRequestName(out, `${path}.request`, result.request, requests);
  validateDevice(out, path, result);
  validateBindingConditions(out, path, result);
}

function validateDevice(out: Errors, path: string, of: AllocatedDeviceStatus | DeviceRequestAllocationResult): void {
  validateDriverName(out, `${path}.driver`, of.driver);
  validatePoolName(out, `${path}.pool`, of.pool);
  addInvalid(out, `${path}.device`, of.device, validateDns1123Label(of.device));
  if (of.shareID !== undefined) validateUid(out, `${path}.shareID`, of.shareID);
}

/** Lengths of a UUID, of one in braces, as a URN and without hyphens. */
const uuidLengths: readonly number[] = [36, 38, 45, 32];
const uuid = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/i;
const notNormal = "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

function validateUid(out: Errors, path: string, uid: string): void {
  const length = utf8Length(uid);
  if (!uuidLengths.includes(length)) {
    out.push(field.invalid(path, uid, `error validating uid: invalid UUID length: ${length}`));
  } else if (!uuid.test(uid.replace(/^urn:uuid:|^\{|\}$/gi, ""))) {
    out.push(field.invalid(path, uid, "error validating uid: invalid UUID format"));
  } else if (length !== 36 || uid !== uid.toLowerCase()) out.push(field.invalid(path, uid, notNormal));
}

function validateNetwork(out: Errors, path: string, network: Readonly<NetworkDeviceData>): void {
  const { interfaceName = "", hardwareAddress = "", ips = [] } = network;
  if (utf8Length(interfaceName) > maxInterfaceNameBytes) out.push(field.tooLong(`${path}.interfaceName`, maxInterfaceNameBytes));
  if (utf8Length(hardwareAddress) > maxHardwareAddressBytes) out.push(field.tooLong(`${path}.hardwareAddress`, maxHardwareAddressBytes));
  const check = (errors: Errors, at: string, ip: string) => addInvalid(errors, at, ip, validateInterfaceAddress(ip));
  validateSet(out, `${path}.ips`, ips, { max: maxAddresses, validate: check, keyOf: itself });
}
