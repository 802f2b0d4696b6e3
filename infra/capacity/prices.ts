/**
 * List prices in dollars, on demand, us-east-1, without the free tier of a new account and without discounts for much
 * (https://aws.amazon.com/<service>/pricing/, November 2026). Everything that reckons in dollars reads them here.
 */
export const prices = {
  /** A million each. */
  writeUnits: 0.625,
  readUnits: 0.125,
  httpRequests: 1,
  invocations: 0.2,
  sqsRequests: 0.4,
  schedules: 1,
  traces: 5,
  kmsRequests: 3,
  /** Of SES: recipients of mail, mails that come in, and each begun 256 KB of those. */
  mailRecipients: 100,
  mailsIn: 100,
  mailChunksIn: 90,
  /** Of a GB for a second, on ARM. */
  gbSecond: 0.000_013_333_4,
  /** A GB. */
  logs: 0.5,
  egress: 0.09,
  /** A month each. */
  metric: 0.3,
  alarmedMetric: 0.1,
  dashboard: 3,
  /** As much again for each of its first two rotations. */
  key: 1,
} as const;

/** Dollars of a million calls at the table. */
export const ofTable = ({ writeUnits, readUnits }: { writeUnits: number; readUnits: number }): number =>
  writeUnits * prices.writeUnits + readUnits * prices.readUnits;
