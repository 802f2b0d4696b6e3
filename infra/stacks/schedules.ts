import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import { policy, statement } from './policy.ts';
import { createDeadLetterQueue, type Queues } from './queues.ts';

export interface Schedules {
  group: ScheduleGroup;
  /** EventBridge Scheduler sends to the queues with it. */
  role: Role;
  deadLetters: Queue;
}

/** Where functions put one-time schedules that later send to a queue. */
export function createSchedules(scope: Construct, queues: Queues, alarms: Alarms): Schedules {
  const deadLetters = createDeadLetterQueue(scope, 'SchedulesDead', alarms);
  const targets = [...queues.values(), deadLetters].map(({ queueArn }) => queueArn);
  return {
    group: new ScheduleGroup(scope, 'Schedules'),
    role: new Role(scope, 'SchedulesRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
      inlinePolicies: policy(statement(['sqs:SendMessage'], targets)),
    }),
    deadLetters,
  };
}
