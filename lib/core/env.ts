import * as v from 'valibot';

/** A setting that is a number, whole or not, of at least so much; says so of what is none. */
export function number(least: number) {
  const message = `must be a number of at least ${least}`;
  return v.pipe(v.string(), v.toNumber(message), v.minValue(least, message));
}
export function wholeNumber(least: number) {
  const message = `must be a whole number of at least ${least}`;
  return v.pipe(v.string(), v.toNumber(message), v.integer(message), v.minValue(least, message));
}
const root = () => v.pipe(v.string(), v.url('must be a URL'));
const permission = () => v.picklist(['deny', 'allow'], 'must be deny or allow');
const pollSeconds = (usual: string, least: number) =>
  v.optional(v.pipe(wholeNumber(least), v.maxValue(3600, 'must be at most 3600')), usual);
const quota = (perDay: string) => v.optional(wholeNumber(0), perDay);

/**
 * Operator settings: environment variables of every function, on AWS from CDK context of the same name, locally from the
 * environment of `npm start`. The default stands here and nowhere else.
 */
export const settings = {
  TELEGRAM_API_ROOT: v.optional(root(), 'https://api.telegram.org'),
  /** Credentials of the operator's application at my.telegram.org; user accounts need both. */
  TELEGRAM_API_ID: v.optional(wholeNumber(0), '0'),
  /** How often the messages of Telegram users are asked for. */
  TELEGRAM_POLL_SECONDS: pollSeconds('60', 15),
  /** Where users log in when that is not Telegram itself: `2@127.0.0.1:4430`, with its RSA key (PKCS #1, DER as base64). */
  TELEGRAM_DATA_CENTRE: v.optional(v.pipe(v.string(), v.regex(/^\d@[\d.]+:\d+$/, 'must be <id>@<address>:<port>'))),
  TELEGRAM_PUBLIC_KEY: v.optional(v.string()),
  /** The https address under which this deployment is reached from outside, where it has one of its own. */
  PUBLIC_URL: v.optional(v.pipe(v.string(), v.url('must be a URL'), v.startsWith('https://', 'must be an https URL'))),
  TWITTER_API_ROOT: v.optional(root(), 'https://api.x.com'),
  /** How often the direct messages of X accounts are asked for; X takes 15 requests in 15 minutes. */
  TWITTER_POLL_SECONDS: pollSeconds('90', 60),
  WEBHOOK_RETRY_SCALE: v.optional(number(0), '1'),
  WEBHOOK_PRIVATE_NETWORKS: v.optional(permission(), 'deny'),
  RATE_LIMIT_PER_MINUTE: v.optional(wholeNumber(1), '600'),
  /** Daily quotas of a workspace in each of its environments, per UTC day; 0 = no limit (lib/table/quota.ts). */
  QUOTA_EMAILS_PER_DAY: quota('2000'),
  QUOTA_AGENT_TOKENS_PER_DAY: quota('2000000'),
  QUOTA_DELIVERIES_PER_DAY: quota('500000'),
  /** Read units of a list or search in one call before it ends its page early. */
  READ_UNITS_PER_LIST: v.optional(wholeNumber(1), '2500'),
  /** How many mails a second SES takes from this account ("maximum send rate"). */
  EMAILS_PER_SECOND: v.optional(number(1), '14'),
  /** Comma list of addresses and CIDRs whose X-Forwarded-For is believed. */
  TRUSTED_PROXIES: v.optional(v.string(), ''),
} as const;

/** Only `npm start` sets them: what they open would be Lambda's own on AWS, where a deployment with one is refused. */
export const localSettings = {
  WEBHOOK_LOOPBACK: v.optional(permission(), 'deny'),
} as const;

const resources = {
  /** Lambda's own. */
  AWS_REGION: v.string(),
  TABLE_NAME: v.string(),
  KMS_KEY_ID: v.string(),
  SCHEDULE_GROUP: v.string(),
  SCHEDULE_ROLE_ARN: v.string(),
  SCHEDULE_DLQ_ARN: v.string(),
  MAIL_BUCKET: v.string(),
  FILES_BUCKET: v.string(),
  /** The SDK's own, where S3 is not Amazon's. */
  AWS_ENDPOINT_URL_S3: v.optional(v.string()),
  /** Absent where no mail can be sent. */
  MAIL_FROM: v.optional(v.string()),
  /** Topic of SES, which publishes bounces and complaints. */
  MAIL_CONFIGURATION_SET: v.string(),
  /** The operator's bus of EventBridge, which every event is put on; absent where there is none. */
  EVENT_BUS: v.optional(v.string()),
  /** The SSM parameter with the hash of the operator's Telegram application; absent where users do not log in. */
  TELEGRAM_API_HASH_PARAMETER: v.optional(v.string()),
  /** Where mail for `workspace-<id>@…` arrives; absent where none is received. */
  MAIL_DOMAIN: v.optional(v.string()),
  /** Whether the operator's command imports an archive that this deployment has not sealed (infra/admin/archive); no function reads it. */
  ALLOW_UNSIGNED_IMPORTS: v.optional(v.picklist(['true', 'false']), 'false'),
} as const;

const declared = { ...settings, ...localSettings, ...resources };
type Declared = typeof declared;

/**
 * The value of one environment variable, parsed; read when asked for, so importing a module reads nothing.
 * Throws when a resource variable is absent: infra gives it only to functions that declare the need.
 */
export function env<Name extends keyof Declared>(name: Name): v.InferOutput<Declared[Name]> {
  const value = process.env[name];
  const parsed = v.safeParse(declared[name] as v.GenericSchema, value === '' ? undefined : value);
  if (!parsed.success) throw new Error(`environment variable ${name}: ${parsed.issues[0].message}`);
  return parsed.output as v.InferOutput<Declared[Name]>;
}

/** The address under which a person reaches this deployment, who asked under `domain`. */
export function panelBase({
  domain = 'localhost',
  port,
}: {
  domain?: string | undefined;
  port?: string | undefined;
}): string {
  const own = domain === 'localhost' ? `http://localhost${port === undefined ? '' : `:${port}`}` : `https://${domain}`;
  return env('PUBLIC_URL')?.replace(/\/$/, '') ?? own;
}

const upperSnake = (name: string) => name.toUpperCase().replaceAll('-', '_');

/**
 * `QUEUE_URL_TELEGRAM`: given to functions with the need `send:telegram`, as what stands behind `QUEUE_ROOT`: their environment has 4 KB,
 * too few for the whole URL of every queue.
 */
export const queueUrlVariable = (queue: string) => `QUEUE_URL_${upperSnake(queue)}`;

/** Where a queue is, of those that the environment names. Throws for one that it does not name. */
export function queueUrl(queue: string, variables: NodeJS.ProcessEnv = process.env): string {
  const name = queueUrlVariable(queue);
  const value = variables[name];
  if (!value)
    throw new Error(
      `environment variable ${name} is absent: the function does not declare that it sends to this queue`,
    );
  return new URL(value, variables['QUEUE_ROOT']).href;
}
