import { Fn, Stack } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { queueUrlVariable } from '#lib/core/env.ts';
import { isRowNeed, type Need, type RowNeed, type SecretKind, secretKinds } from '#lib/core/needs.ts';
import type { QueueName } from '#lib/core/queues.ts';
import { copiesPrefix, exportsPrefix, uploadsPrefix } from '#lib/files/keys.ts';
import { rowPartition } from '#lib/table/keys.ts';
import type { AnyTable, DataReferences } from './data.ts';
import type { Queues } from './queues.ts';
import type { Permission } from './role.ts';
import type { Schedules } from './schedules.ts';

export interface Resources extends DataReferences {
  queues: Queues;
  schedules: Schedules;
  mailBucket: Bucket | undefined;
  /** The configuration set that publishes bounces and complaints; without a sender there is none. */
  mailEvents: string | undefined;
  mailFrom: string | undefined;
  mailDomain: string | undefined;
  /** Its name. */
  eventBus: string | undefined;
  /** Its name, with the slash before it. */
  telegramApiHashParameter: string | undefined;
  isTraced: boolean;
}

export interface Grant {
  environment: Record<string, string>;
  permissions: Permission[];
}

/** Returns the grant of every function: the name of the table, and tracing if it is enabled. */
export const baseGrant = ({ table, isTraced }: Resources): Grant => ({
  environment: { TABLE_NAME: table.tableName },
  permissions: isTraced ? [traces] : [],
});

const traces: Permission = {
  actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
  resources: ['*'],
  wildcard: 'X-Ray knows no resources for traces',
};

/** The environment variables and permissions that the needs of one function stand for. */
export function grantsOf(needs: readonly Need[], resources: Resources): Grant[] {
  return needs
    .filter((need) => !isRowNeed(need))
    .map((need) => (need === 'schedule' ? schedule(resources) : grantOf(need, resources)));
}

const queueNameOf = (need: Need) => need.slice('send:'.length) as QueueName;

function grantOf(need: Exclude<Need, RowNeed | 'schedule'>, resources: Resources): Grant {
  switch (need) {
    case 'bedrock':
      return bedrock(resources);
    case 'ses':
      return ses(resources);
    case 'mail-sender':
      return { environment: mailSender(resources), permissions: [] };
    case 'mail-domain':
      return { environment: domainOf(resources), permissions: [] };
    case 'own-addresses':
      return { environment: { ...mailSender(resources), ...domainOf(resources) }, permissions: [] };
    case 'telegram-app':
      return readTelegramApp(resources);
    case 'event-bus':
      return putEvents(resources);
    case 'mail-bucket':
      return readMail(resources);
    case 'link-files':
      return { environment: { FILES_BUCKET: resources.files.bucketName }, permissions: [] };
    case 'upload-files':
      return useFiles(['s3:PutObject'], `${uploadsPrefix}*`, resources);
    case 'store-files':
      return readFiles('*', resources, ['s3:PutObject', 's3:DeleteObject']);
    case 'read-uploads':
      return readFiles(`${uploadsPrefix}*`, resources);
    case 'read-files':
      return readFiles('*', resources);
    case 'read-export-files':
      return readFiles(`${exportsPrefix}*`, resources);
    case 'store-export-files':
      return readFiles(`${exportsPrefix}*`, resources, ['s3:PutObject', 's3:DeleteObject']);
    case 'read-copies':
      return readFiles(`${copiesPrefix}*`, resources);
    case 'store-copies':
      return readFiles(`${copiesPrefix}*`, resources, ['s3:PutObject', 's3:DeleteObject']);
    case 'list-export-files':
      return listFiles(exportsPrefix, resources);
    default:
      return isOfSecret(need) ? useKey(need, resources) : send(queueNameOf(need), resources);
  }
}

type SecretNeed = Extract<Need, `${string}crypt:${string}`>;

const isOfSecret = (need: Exclude<Need, RowNeed>): need is SecretNeed => /^(en|de)crypt:/.test(need);

/** One kind of secret is told from the others by the word that only its encryption context has (lib/aws/secrets.ts). */
function useKey(need: SecretNeed, { key }: Resources): Grant {
  const [verb, kind] = need.split(':') as ['encrypt' | 'decrypt', SecretKind];
  return {
    environment: { KMS_KEY_ID: key.keyId },
    permissions: [
      {
        actions: [verb === 'encrypt' ? 'kms:Encrypt' : 'kms:Decrypt'],
        resources: [key.keyArn],
        conditions: { 'ForAnyValue:StringEquals': { 'kms:EncryptionContextKeys': [secretKinds[kind]] } },
      },
    ],
  };
}

/** Partitions of the rows that identify a caller. */
const opening = [
  rowPartition('key', { keyId: '*' }),
  rowPartition('session', { hash: '*' }),
  rowPartition('signIn', { hash: '*' }),
];

/** For who reads what strangers have written: whatever it is made to do, it makes and changes no API key and no session. */
export const withoutKeys = ({ table }: Resources): Permission => ({
  actions: ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map((action) => `dynamodb:${action}`),
  resources: [table.tableArn],
  conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': opening } },
  isDenied: true,
});

/** Returns the common beginning of all queue URLs: scheme, host, and account. */
const queueRoot = ({ timers: { queueUrl } }: Resources['queues']): string =>
  Fn.join('/', [...[0, 1, 2, 3].map((part) => Fn.select(part, Fn.split('/', queueUrl))), '']);

const send = (name: QueueName, { queues }: Resources): Grant => ({
  environment: { [queueUrlVariable(name)]: queues[name].queueName, QUEUE_ROOT: queueRoot(queues) },
  permissions: [{ actions: ['sqs:SendMessage'], resources: [queues[name].queueArn] }],
});

const bedrock = ({ table }: Resources): Grant => ({
  environment: {},
  permissions: [
    {
      actions: ['bedrock:InvokeModel'],
      resources: ['arn:aws:bedrock:*::foundation-model/*', arnOf(table, 'bedrock', 'inference-profile/*')],
      wildcard: 'Each agent names its own model',
    },
  ],
});

const mailSender = ({ mailFrom }: Pick<Resources, 'mailFrom'>) => (mailFrom ? { MAIL_FROM: mailFrom } : {});

function ses({ table, mailEvents, mailFrom, mailDomain }: Resources): Grant {
  if (mailEvents === undefined) return { environment: {}, permissions: [] };
  const identities = [mailFrom, mailDomain].flatMap((sender) => (sender ? identitiesOf(sender) : []));
  const names = [...[...new Set(identities)].map((name) => `identity/${name}`), `configuration-set/${mailEvents}`];
  const { account, partition, region } = Stack.of(table);
  return {
    environment: { ...mailSender({ mailFrom }), ...domainOf({ mailDomain }), MAIL_CONFIGURATION_SET: mailEvents },
    permissions: [
      {
        actions: ['ses:SendEmail', 'ses:SendRawEmail'],
        resources: names.map((name) => `arn:${partition}:ses:${region}:${account}:${name}`),
      },
    ],
  };
}

/** Returns the identities that may be verified in SES for a sender: its address, its domain, or a parent domain. */
function identitiesOf(sender: string): string[] {
  const address = /<([^<>]+)>$/.exec(sender)?.[1] ?? sender;
  const labels = address.toLowerCase().split('@').at(-1)?.split('.') ?? [];
  const domains = labels
    .map((_, at) => labels.slice(at).join('.'))
    .filter((_, at) => at === 0 || at < labels.length - 1);
  return [...(address.includes('@') ? [address] : []), ...domains];
}

const putEvents = ({ table, eventBus }: Resources): Grant =>
  eventBus === undefined
    ? { environment: {}, permissions: [] }
    : {
        environment: { EVENT_BUS: eventBus },
        permissions: [
          {
            actions: ['events:PutEvents'],
            resources: [
              Stack.of(table).formatArn({ service: 'events', resource: 'event-bus', resourceName: eventBus }),
            ],
          },
        ],
      };

/** Encrypted with the account's own key of SSM, which lets in whoever may read the parameter. */
const readTelegramApp = ({ table, telegramApiHashParameter: name }: Resources): Grant =>
  name === undefined
    ? { environment: {}, permissions: [] }
    : {
        environment: { TELEGRAM_API_HASH_PARAMETER: name },
        permissions: [
          {
            actions: ['ssm:GetParameter'],
            resources: [
              Stack.of(table).formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.slice(1) }),
            ],
          },
        ],
      };

const domainOf = ({ mailDomain }: Pick<Resources, 'mailDomain'>) => (mailDomain ? { MAIL_DOMAIN: mailDomain } : {});

/** Returns the permission to list a bucket. Without it S3 answers 403 instead of 404 for a missing file (GetObject). */
const listing = ({ bucketArn }: { bucketArn: string }) => ({ actions: ['s3:ListBucket'], resources: [bucketArn] });

function readMail({ mailBucket }: Resources): Grant {
  if (!mailBucket) throw new Error('a function needs the mail bucket, but no worker reads from it');
  return {
    environment: { MAIL_BUCKET: mailBucket.bucketName },
    permissions: [
      {
        actions: ['s3:GetObject'],
        resources: [mailBucket.arnForObjects('*')],
        wildcard: 'SES chooses the names of the objects',
      },
      listing(mailBucket),
    ],
  };
}

const useFiles = (actions: string[], keys: string, { files }: Resources): Grant => ({
  environment: { FILES_BUCKET: files.bucketName },
  permissions: [
    {
      actions,
      resources: [`${files.bucketArn}/${keys}`],
      wildcard: 'A file is named after the workspace and the message',
    },
  ],
});

/** With what lets those with its links know what is missing, too. */
function readFiles(keys: string, resources: Resources, more: string[] = []): Grant {
  const { environment, permissions } = useFiles(['s3:GetObject', ...more], keys, resources);
  return {
    environment,
    permissions: [...permissions, listing(resources.files)],
  };
}

const listFiles = (prefix: string, { files }: Resources): Grant => ({
  environment: { FILES_BUCKET: files.bucketName },
  permissions: [
    {
      actions: ['s3:ListBucket'],
      resources: [files.bucketArn],
      conditions: { StringLike: { 's3:prefix': `${prefix}*` } },
    },
  ],
});

function schedule({ schedules }: Resources): Grant {
  const { group, role, deadLetters } = schedules;
  return {
    environment: {
      SCHEDULE_GROUP: group.scheduleGroupName,
      SCHEDULE_ROLE_ARN: role.roleArn,
      SCHEDULE_DLQ_ARN: deadLetters.queueArn,
    },
    permissions: [
      {
        actions: ['scheduler:CreateSchedule'],
        resources: [
          Stack.of(group).formatArn({
            service: 'scheduler',
            resource: 'schedule',
            resourceName: `${group.scheduleGroupName}/*`,
          }),
        ],
        wildcard: 'Schedules are named after the rows that wait, in a group of their own',
      },
      {
        actions: ['iam:PassRole'],
        resources: [role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      },
    ],
  };
}

const arnOf = (table: AnyTable, service: string, resource: string) =>
  `arn:aws:${service}:*:${Stack.of(table).account}:${resource}`;
