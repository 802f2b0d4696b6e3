import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { sanitise, textOf } from '#lib/email/html.ts';
import { openOutbound } from '#lib/network/outbound.ts';
import { openProvider } from '#lib/network/provider.ts';

/** What bundles hold only parts of, exported as a function is. */
export const handler = {
  sanitise,
  textOf,
  openOutbound,
  openProvider,
  sendMail: (endpoint: string) =>
    new SESv2Client({ endpoint, maxAttempts: 1 }).send(
      new SendEmailCommand({ Content: { Raw: { Data: Buffer.from('a mail') } } }),
    ),
};
