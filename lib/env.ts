import * as v from 'valibot';

/**
 * Operator settings: environment variables of every function, on AWS from CDK context of the same name, locally from the
 * environment of `npm start`. The default stands here and nowhere else.
 */
export const settings = {
  TELEGRAM_API_ROOT: v.optional(v.pipe(v.string(), v.url()), 'https://api.telegram.org'),
  /** Of the operator's application at my.telegram.org; user accounts need both. */
  TELEGRAM_API_ID: v.optional(v.pipe(v.string(), v.toNumber(), v.integer(), v.minValue(0)), '0'),
  TELEGRAM_API_HASH: v.optional(v.string(), ''),
  TWITTER_API_ROOT: v.optional(v.pipe(v.string(), v.url()), 'https://api.x.com'),
  WEBHOOK_RETRY_SCALE: v.optional(v.pipe(v.string(), v.toNumber(), v.minValue(0)), '1'),
  WEBHOOK_PRIVATE_NETWORKS: v.optional(v.picklist(['deny', 'allow']), 'deny'),
  RATE_LIMIT_PER_MINUTE: v.optional(v.pipe(v.string(), v.toNumber(), v.integer(), v.minValue(1)), '600'),
  /** Comma list of addresses and CIDRs whose X-Forwarded-For is believed. */
  TRUSTED_PROXIES: v.optional(v.string(), ''),
} as const;

const resources = {
  TABLE_NAME: v.string(),
  KMS_KEY_ID: v.string(),
  SCHEDULE_GROUP: v.string(),
  SCHEDULE_ROLE_ARN: v.string(),
  SCHEDULE_DLQ_ARN: v.string(),
  MAIL_BUCKET: v.string(),
  MAIL_FROM: v.string(),
  /** Where mail for `workspace-<id>@…` arrives; absent where none is received. */
  MAIL_DOMAIN: v.optional(v.string()),
} as const;

const declared = { ...settings, ...resources };
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

const upperSnake = (name: string) => name.toUpperCase().replaceAll('-', '_');

/** `QUEUE_URL_TELEGRAM`: given to functions with the need `send:telegram`. */
export const queueUrlVariable = (queue: string) => `QUEUE_URL_${upperSnake(queue)}`;
/** `QUEUE_ARN_TELEGRAM`: given besides to functions that also need `schedule`. */
export const queueArnVariable = (queue: string) => `QUEUE_ARN_${upperSnake(queue)}`;
