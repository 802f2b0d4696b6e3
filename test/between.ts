import { aws } from '#lib/aws/call.ts';
import { dynamodb } from '#lib/table/client.ts';

interface Call {
  operation: string;
  /** With plain attributes. */
  input: Record<string, unknown>;
}

/** What is done instead of a call; `next` makes it. */
type Step = (call: Call, next: () => Promise<Record<string, unknown>>) => Promise<unknown>;

/** Every call of this process to the table goes through the step while the work is done. */
export async function between<Result>(step: Step, work: () => Promise<Result>): Promise<Result> {
  const { send } = dynamodb;
  dynamodb.send = ((operation: never, input: never, signal) =>
    step({ operation, input }, () => send(operation, input, signal) as never)) as typeof send;
  try {
    return await work();
  } finally {
    dynamodb.send = send;
  }
}

/** So does every request to AWS: what a step throws is tried again, if it may pass. */
export async function betweenRequests<Result>(
  step: (operation: string, next: () => Promise<object>) => Promise<object>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { attempt } = aws;
  aws.attempt = (call, signal) => step(call.operation, () => attempt(call, signal));
  try {
    return await work();
  } finally {
    aws.attempt = attempt;
  }
}
