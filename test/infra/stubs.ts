import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { openOutbound } from '#lib/network/outbound.ts';
import { openProvider } from '#lib/network/provider.ts';

/** What bundles hold only parts of, exported as a function is. */
export const handler = {
  openOutbound,
  openProvider,
  sendMail: (endpoint: string) =>
    new SESv2Client({ endpoint, maxAttempts: 1 }).send(
      new SendEmailCommand({ Content: { Raw: { Data: Buffer.from('a mail') } } }),
    ),
};
