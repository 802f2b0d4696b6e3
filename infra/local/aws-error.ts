/** An error as AWS names it. `queryCode` is its name in the query protocol, which SQS still sends along. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  readonly queryCode: string | undefined;

  constructor(code: string, message: string, options: { status?: number; queryCode?: string } = {}) {
    super(message);
    this.code = code;
    this.status = options.status ?? 400;
    this.queryCode = options.queryCode;
  }
}
