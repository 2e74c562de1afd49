/** Which device is meant, and by which of those who share it. */
interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}

export const deviceKey = (id: AllocatedDevice): string => JSON.stringify(shownDevice(id));

/** As Kubernetes prints it in errors. */
export const shownDevice = ({ driver, pool, device, shareID = "" }: AllocatedDevice): object => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});
