import { Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { queueArnVariable, queueUrlVariable } from '#lib/env.ts';
import type { Need, QueueName } from '#lib/queues.ts';
import { statement } from './policy.ts';
import type { Queues } from './queues.ts';
import type { Schedules } from './schedules.ts';

export interface Resources {
  table: Table;
  key: Key;
  queues: Queues;
  schedules: Schedules;
  mailBucket: Bucket | undefined;
  mailFrom: string | undefined;
}

export interface Grant {
  environment: Record<string, string>;
  statements: PolicyStatement[];
}

const tableActions = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];

/** What every function gets: the table and tracing. */
export const baseGrant = ({ table }: Resources): Grant => ({
  environment: { TABLE_NAME: table.tableName },
  statements: [
    statement(
      tableActions.map((action) => `dynamodb:${action}`),
      [table.tableArn],
    ),
    statement(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*']),
  ],
});

/** The environment variables and permissions that the needs of one function stand for. */
export function grantsOf(needs: readonly Need[], resources: Resources): Grant[] {
  const queues = needs.filter((need) => need.startsWith('send:')).map((need) => need.slice(5) as QueueName);
  return needs.map((need) => (need === 'schedule' ? schedule(queues, resources) : grantOf(need, resources)));
}

function grantOf(need: Exclude<Need, 'schedule'>, { key, queues, table, mailBucket, mailFrom }: Resources): Grant {
  switch (need) {
    case 'kms':
      return {
        environment: { KMS_KEY_ID: key.keyId },
        statements: [statement(['kms:Encrypt', 'kms:Decrypt'], [key.keyArn])],
      };
    case 'bedrock':
      return {
        environment: {},
        statements: [
          statement(
            ['bedrock:InvokeModel'],
            ['arn:aws:bedrock:*::foundation-model/*', arn(table, 'bedrock', 'inference-profile/*')],
          ),
        ],
      };
    case 'ses':
      return {
        environment: mailFrom ? { MAIL_FROM: mailFrom } : {},
        statements: [statement(['ses:SendEmail', 'ses:SendRawEmail'], [arn(table, 'ses', 'identity/*')])],
      };
    case 'mail-bucket':
      if (!mailBucket) throw new Error('a function needs the mail bucket, but no worker reads from it');
      return {
        environment: { MAIL_BUCKET: mailBucket.bucketName },
        statements: [statement(['s3:GetObject'], [mailBucket.arnForObjects('*')])],
      };
    default: {
      const name = need.slice(5) as QueueName;
      const queue = queueOf(queues, name);
      return {
        environment: { [queueUrlVariable(name)]: queue.queueUrl },
        statements: [statement(['sqs:SendMessage'], [queue.queueArn])],
      };
    }
  }
}

const schedule = (names: readonly QueueName[], { schedules, queues }: Resources): Grant => {
  const { group, role, deadLetters } = schedules;
  const inGroup = Stack.of(group).formatArn({
    service: 'scheduler',
    resource: 'schedule',
    resourceName: `${group.scheduleGroupName}/*`,
  });
  return {
    environment: {
      SCHEDULE_GROUP: group.scheduleGroupName,
      SCHEDULE_ROLE_ARN: role.roleArn,
      SCHEDULE_DLQ_ARN: deadLetters.queueArn,
      ...Object.fromEntries(names.map((name) => [queueArnVariable(name), queueOf(queues, name).queueArn])),
    },
    statements: [
      statement(['scheduler:CreateSchedule', 'scheduler:GetSchedule', 'scheduler:DeleteSchedule'], [inGroup]),
      statement(['iam:PassRole'], [role.roleArn]),
    ],
  };
};

/** Throws for a queue without a consumer: what is sent to it would never be handled. */
export function queueOf(queues: Queues, name: QueueName) {
  const queue = queues.get(name);
  if (!queue) throw new Error(`no worker consumes the queue ${name}`);
  return queue;
}

const arn = (table: Table, service: string, resource: string) =>
  `arn:aws:${service}:*:${Stack.of(table).account}:${resource}`;
