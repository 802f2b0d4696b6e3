import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { NodeCrypto } from '#lib/channels/telegram/crypto.ts';
import { openOutbound } from '#lib/network/outbound.ts';
import { openProvider } from '#lib/network/provider.ts';

/** What bundles hold only parts of, exported as a function is. */
export const handler = {
  openOutbound,
  openProvider,
  async encryptIge(data: Buffer) {
    const crypto = new NodeCrypto();
    await crypto.initialize();
    return Buffer.from(crypto.createAesIge(Buffer.alloc(32, 1), Buffer.alloc(32, 2)).encrypt(data)).toString('hex');
  },
  sendMail: (endpoint: string) =>
    new SESv2Client({ endpoint, maxAttempts: 1 }).send(
      new SendEmailCommand({ Content: { Raw: { Data: Buffer.from('a mail') } } }),
    ),
};
