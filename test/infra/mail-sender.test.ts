import { expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { pascalCase } from '#infra/names.ts';
import { noSender } from '#lib/email/sender.ts';
import { assemblyFolder, readAssembly, stacksOf, type Variant } from '#test/infra/assembly.ts';

async function mailIn(variant: Variant) {
  const { templates, resources } = await readAssembly(await assemblyFolder(variant));
  const said = (await stacksOf(variant))
    .flatMap(({ messages }) => messages)
    .map(({ level, entry }) => `${level}: ${entry.data}`);
  return {
    text: templates.map(({ text }) => text).join(),
    warning: said.find((text) => text.startsWith(`warning: ${noSender}`)),
    senderOf: (name: string) => resources[pascalCase(name)]?.Properties.Environment.Variables.MAIL_FROM,
  };
}

const ofSes = (text: string) => ['AWS::SES::', 'AWS/SES', 'ses:Send'].filter((name) => text.includes(name));

test('every function that may send, refuse, or receive mail knows the sender address', async () => {
  const { text, warning, senderOf } = await mailIn('full');
  expect(warning).toBeUndefined();
  expect(ofSes(text)).toEqual(['AWS::SES::', 'AWS/SES', 'ses:Send']);
  const refusing = (await loadRoutes()).filter(({ route }) => route.needs?.includes('mail-sender'));
  expect(refusing.map(({ name }) => name)).toEqual([
    'email-create-message',
    'email-create-reply',
    'mcp-post',
    'panel-activate-sequence',
    'panel-patch-own-profile',
    'sequences-resume',
  ]);
  // And what has to tell the workspace's own addresses from those of others.
  const others = ['workers-send-email', 'workers-receive-mail', 'workers-finish-sagas', 'contacts-export'];
  for (const name of [...refusing.map((route) => route.name), ...others])
    expect(senderOf(name), name).toBe('crm@mail.example.com');
});

test('a deployment without a sender address is warned of, and needs no region that has SES', async () => {
  const { text, warning, senderOf } = await mailIn('bare');
  expect(warning).toBeDefined();
  expect(ofSes(text)).toEqual([]);
  expect(senderOf('email-create-reply')).toBeUndefined();
});
