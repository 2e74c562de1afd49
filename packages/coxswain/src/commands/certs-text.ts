/** What `coxswain certs list` prints, in kubeadm's form. */
import type { CertificateReport, ExpiringAuthority } from "../access/certificate-report.ts";
import { tableOf } from "../instances/status-text.ts";

export function certsText({ certificates, certificateAuthorities }: CertificateReport): string {
  const rows = certificates.map((one) => [...expiryCells(one), one.caName, yesOrNo(one.externallyManaged)]);
  const authorities = certificateAuthorities.map((one) => [...expiryCells(one), yesOrNo(one.externallyManaged)]);
  const first = tableOf([["CERTIFICATE", "EXPIRES", "RESIDUAL TIME", "CERTIFICATE AUTHORITY", "EXTERNALLY MANAGED"], ...rows]);
  return `${first}\n${tableOf([["CERTIFICATE AUTHORITY", "EXPIRES", "RESIDUAL TIME", "EXTERNALLY MANAGED"], ...authorities])}`;
}

const expiryCells = ({ name, expirationDate, residualTime, missing }: ExpiringAuthority): string[] =>
  missing || expirationDate === undefined
    ? [`!MISSING! ${name}`, "", ""]
    : [name, dateText(Date.parse(expirationDate)), residualText(residualTime)];

const yesOrNo = (value: boolean): string => (value ? "yes" : "no");

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** `Nov 23, 2027 09:10 UTC`. `ms` since the epoch. */
export function dateText(ms: number): string {
  const date = new Date(ms);
  const day = `${months[date.getUTCMonth()]} ${twoDigits(date.getUTCDate())}, ${date.getUTCFullYear()}`;
  return `${day} ${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())} UTC`;
}

const hour = 3_600;
const day = 24 * hour;

/** As kubectl shows ages, in its largest unit. */
export function residualText(seconds: number): string {
  if (seconds < 0) return "<invalid>";
  if (seconds < 60) return `${seconds}s`;
  if (seconds < hour) return `${Math.floor(seconds / 60)}m`;
  if (seconds < day) return `${Math.floor(seconds / hour)}h`;
  return seconds < 365 * day ? `${Math.floor(seconds / day)}d` : `${Math.floor(seconds / day / 365)}y`;
}
