import { randomUUID } from 'node:crypto';
import type { ScheduleInput } from './schedule.ts';

/** Puts `body` on the queue with this ARN; throws or rejects when it cannot. */
export type Deliver = (
  targetArn: string,
  body: string,
  options: {
    messageGroupId?: string | undefined;
    attributes?: Record<string, { DataType: string; StringValue: string }>;
  },
) => unknown;

interface Firing {
  scheduleArn: string;
  input: ScheduleInput;
  scheduledAt: number;
}

/** Delivers a schedule's input to its target, or else, with the reason, to its dead-letter queue. */
export async function fire({ scheduleArn, input: { Target }, scheduledAt }: Firing, deliver: Deliver): Promise<void> {
  const executionId = randomUUID();
  const scheduledTime = new Date(scheduledAt).toISOString().replace(/\.\d{3}/, '');
  const body = withContext(Target.Input ?? defaultInput(scheduleArn, executionId, scheduledTime), {
    'schedule-arn': scheduleArn,
    'scheduled-time': scheduledTime,
    'execution-id': executionId,
    'attempt-number': '1',
  });
  try {
    await deliver(Target.Arn, body, { messageGroupId: Target.SqsParameters?.MessageGroupId });
  } catch (cause) {
    const deadLetterArn = Target.DeadLetterConfig?.Arn;
    if (!deadLetterArn) throw cause;
    const attributes = asStrings({
      ERROR_CODE: (cause as { code?: string }).code ?? 'InternalFailure',
      ERROR_MESSAGE: cause instanceof Error ? cause.message : String(cause),
      EXECUTION_ID: executionId,
      RETRY_ATTEMPTS: '0',
      SCHEDULED_TIME: scheduledTime,
      SCHEDULE_ARN: scheduleArn,
      TARGET_ARN: Target.Arn,
    });
    await deliver(deadLetterArn, body, { attributes });
  }
}

const asStrings = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]));

const withContext = (text: string, context: Record<string, string>) =>
  Object.entries(context).reduce((done, [name, value]) => done.replaceAll(`<aws.scheduler.${name}>`, value), text);

function defaultInput(scheduleArn: string, executionId: string, time: string): string {
  const [, , , region, account] = scheduleArn.split(':');
  return JSON.stringify({
    version: '0',
    id: executionId,
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account,
    time,
    region,
    resources: [scheduleArn],
    detail: '{}',
  });
}
