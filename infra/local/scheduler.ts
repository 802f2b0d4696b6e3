import { AwsError } from './aws-error.ts';
import type { Guarded } from './guard.ts';
import { type Deliver, Schedules } from './scheduler/schedules.ts';
import { jsonBody, listen, restJson } from './wire.ts';

interface LocalScheduler {
  url: string;
  createGroup(name: string): void;
  close(): Promise<void>;
}

type SchedulerSettings = Guarded & {
  accountId: string;
  region: string;
  deliver: Deliver;
};

/** Starts EventBridge Scheduler in memory, with the one call that this product makes. What falls due goes to `deliver`. */
export async function startScheduler({
  accountId,
  region,
  deliver,
  ...address
}: SchedulerSettings): Promise<LocalScheduler> {
  const arnPrefix = `arn:aws:scheduler:${region}:${accountId}`;
  const schedules = new Schedules(arnPrefix, deliver);
  const server = await listen(address, restJson('Message'), (request) => {
    const [collection, Name, ...rest] = request.path.slice(1).split('/').map(decodeURIComponent);
    if (request.method !== 'POST' || collection !== 'schedules' || Name === undefined || rest.length > 0)
      throw new AwsError('UnknownOperationException', 'The local Scheduler makes schedules alone.', { status: 404 });
    const { GroupName = 'default', Target = {}, ...given } = jsonBody(request);
    request.note('scheduler:CreateSchedule', `${arnPrefix}:schedule/${GroupName}/${Name}`);
    const { RoleArn } = Target as { RoleArn?: string };
    // A schedule's role is passed to the Scheduler.
    if (RoleArn !== undefined)
      request.note('iam:PassRole', RoleArn, { 'iam:passedtoservice': 'scheduler.amazonaws.com' });
    return { ScheduleArn: schedules.create({ ...given, GroupName, Target, Name }) };
  });
  return {
    url: server.url,
    createGroup: (name) => schedules.createGroup(name),
    close: () => {
      schedules.close();
      return server.close();
    },
  };
}
