import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Alarms } from './alarms.ts';
import { createDeadLetterQueue, type Queues } from './queues.ts';
import { createRole } from './role.ts';

export interface Schedules {
  group: ScheduleGroup;
  /** EventBridge Scheduler sends to the queues with it. */
  role: Role;
  deadLetters: Queue;
}

/** The Scheduler, for schedules of this account (its user guide, "Confused deputy prevention"). */
const ofOwnAccount = (stack: Stack) =>
  new ServicePrincipal('scheduler.amazonaws.com', {
    conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
  });

/** Where functions put one-time schedules that later send to a queue. */
export function createSchedules(stack: Stack, queues: Queues, alarms: Alarms): Schedules {
  const deadLetters = createDeadLetterQueue(stack, 'SchedulesDead', alarms);
  // Schedules send to the queue of timers alone, whose worker passes on what is due.
  const targets = [queues.timers, deadLetters].map(({ queueArn }) => queueArn);
  // Its name is fixed: one that stayed behind would be in the way of the next deployment. The sweeper sends what its schedules would have.
  const group = new ScheduleGroup(stack, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY });
  return {
    group,
    role: createRole(stack, 'SchedulesRole', ofOwnAccount(stack), [
      { actions: ['sqs:SendMessage'], resources: targets },
    ]),
    deadLetters,
  };
}
