/** Seconds of a month of 30.4 days. */
export const monthSeconds = 30.4 * 86_400;

/**
 * What cannot be read from the code nor measured without AWS: how long things take there, how much they log, how AWS polls. A
 * deployment that has run for a while knows better (dashboard, Cost Explorer); then these are to be changed.
 */
export const assumed = {
  /** Milliseconds of an invocation that answers a call, and of each call of DynamoDB. */
  callMs: 15,
  tripMs: 8,
  /** Milliseconds in which a function starts that is not there yet, which Lambda bills since August 2025. */
  coldStartMs: 300,
  /** Milliseconds of an invocation of a worker besides. */
  workerMs: 20,
  /** A whole processor comes with so many MB. */
  processorMb: 1_769,
  /**
   * CPU milliseconds in which the publisher numbers a change that nobody subscribes to, measured on a whole core: one of a hundred of a
   * workspace, one of a hundred workspaces; and the round trips of a batch.
   */
  publish: { cpuMs: 0.55, cpuMsApart: 1.7, trips: 7 },
  /** Of nearly every function. */
  memoryMb: 512,
  /** Bytes of log lines: the request's, the access log's and Lambda's own; of a worker what it measures, which most do not. */
  callLogBytes: 1_300,
  workerLogBytes: 200,
  answerBytes: 1_500,
  /** Lambda asks a queue with so many long polls at once, and a shard of the stream so often. */
  pollers: 5,
  longPollSeconds: 20,
  streamPollsPerSecond: 4,
  sweep: {
    invocations: monthSeconds / 60,
    memoryMb: 512,
    ms: 800,
    metrics: 3,
    logBytes: 1_000,
  },
} as const;
