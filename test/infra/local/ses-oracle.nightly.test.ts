import { SESv2 } from '@aws-sdk/client-sesv2';
import { test } from 'vitest';
import { startSes } from '#infra/local/ses.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';
import { clientOf, compareWithMoto, guarded, home, Play } from '#test/infra/local/oracle.ts';

const configurationSet = 'mail';
const sender = 'crm@example.com';

const playAt = (localUrl: () => string) => async (endpoint: string) => {
  const ses = new SESv2(clientOf(endpoint));
  const game = new Play(/^MessageId$/);
  if (endpoint !== localUrl()) {
    await ses.createEmailIdentity({ EmailIdentity: 'example.com' });
    await ses.createConfigurationSet({ ConfigurationSetName: configurationSet });
  }
  const mail = `From: ${sender}\r\nTo: ann@example.org\r\nSubject: Hi\r\n\r\nHello`;
  const send = (step: string, raw: string, more: object = {}) =>
    game.ask(
      step,
      ses.sendEmail({
        Destination: { ToAddresses: ['ann@example.org'] },
        Content: { Raw: { Data: Buffer.from(raw) } },
        ...more,
      }),
    );
  await send('send', mail);
  await send('send to whom the head says', mail, { Destination: undefined });
  await send('send with a configuration', mail, {
    ConfigurationSetName: configurationSet,
    EmailTags: [{ Name: 'workspace', Value: '7' }],
  });
  await send('send with no such configuration', mail, { ConfigurationSetName: 'none' });
  await send('send from nobody', mail.replace(/^From:.*\r\n/, ''));
  await send('send nothing', '', { Content: {} });
  ses.destroy();
  return game.answers;
};

/** Where SES's documentation is followed rather than moto. */
const differences = {
  'moto does not check the configuration': ['send with no such configuration'],
  'what is no mail is a bad request': ['send from nobody', 'send nothing'],
};

test('the local SES answers as moto does', async (context) => {
  const folder = temporaryFolder();
  let url = '';
  const start = async () => {
    const local = await startSes({ ...guarded, ...home, mailboxDir: folder.path, publish: () => {} });
    local.configure([{ name: configurationSet, eventTypes: [] }]);
    url = local.url;
    return local;
  };
  await compareWithMoto(context, { play: playAt(() => url), differences, start }).finally(folder.remove);
});
