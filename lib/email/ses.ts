import { type Destination, SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { ownConnections } from '#lib/aws/connections.ts';
import { secondMs } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { sesTimeoutMs } from '#lib/core/timeouts.ts';

const connectMs = 3 * secondMs;

let client: SESv2Client | undefined;

/**
 * Hands a whole mail to SES. With tags SES reports what becomes of it, bounces and complaints, and says them with it (lib/email/notice.ts);
 * no recipient sees them. Returns what SES calls it. Throws what SES says. Needs `ses`.
 */
export async function handOver(to: Destination, content: Buffer, tags?: Record<string, string>): Promise<string> {
  // A second attempt of the SDK would be a second mail when only the answer to the first was lost.
  client ??= new SESv2Client({ maxAttempts: 1, requestHandler: { ...ownConnections, connectionTimeout: connectMs } });
  const reported = tags && {
    ConfigurationSetName: env('MAIL_CONFIGURATION_SET'),
    EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
  };
  const { MessageId } = await client.send(
    new SendEmailCommand({ Destination: to, Content: { Raw: { Data: content } }, ...reported }),
    { abortSignal: AbortSignal.timeout(sesTimeoutMs) },
  );
  return MessageId as string;
}

/** Whether SES may have taken the mail although it gave no answer. */
export function mayHaveLeft({ name, message, syscall }: Error & { syscall?: string }): boolean {
  // The SDK calls a broken connection a time-out, too, and says only in words that there never was one.
  const wasConnected = syscall !== 'connect' && !message.includes('did not establish a connection');
  return wasConnected && (name === 'AbortError' || name === 'TimeoutError');
}

/** Errors of the deployment: its role, account, sender, or configuration set. */
const deploymentFaults = [
  'AccessDeniedException',
  'AccountSuspendedException',
  'SendingPausedException',
  'MailFromDomainNotVerifiedException',
  'NotFoundException',
];

/**
 * Whether SES refuses a mail for what is wrong with this deployment, not with the mail: nothing has left, and every other is refused, too,
 * until its operator has mended that.
 */
export const isDeploymentFault = ({ name, message }: Error): boolean =>
  deploymentFaults.includes(name) ||
  (name === 'MessageRejected' && /not verified|suspended/i.test(message)) ||
  // Its quota of 24 hours, and not its rate, is used up.
  /daily message quota/i.test(message);
