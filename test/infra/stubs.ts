import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { aws } from '#lib/aws/call.ts';
import { sanitise, textOf } from '#lib/email/html.ts';
import { log } from '#lib/log.ts';
import { openOutbound } from '#lib/network/outbound.ts';
import { openProvider } from '#lib/network/provider.ts';

/** What bundles hold only parts of, exported as a function is. */
export const handler = {
  sanitise,
  textOf,
  openOutbound,
  openProvider,
  call: aws.call,
  log,
  sendMail: (endpoint: string) =>
    new SESv2Client({ endpoint, maxAttempts: 1 }).send(
      new SendEmailCommand({ Content: { Raw: { Data: Buffer.from('a mail') } } }),
    ),
};
