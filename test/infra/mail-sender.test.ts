import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { pascalCase } from '#infra/names.ts';
import { noSender } from '#lib/email/sender.ts';
import { appWithoutCode } from '#test/infra/assembly.ts';

// rules.test.ts and templates.test.ts ask what CloudFormation would take.
vi.stubEnv('CDK_VALIDATION', 'false');

async function synthesised(context: Record<string, string>) {
  const { app, outdir, remove } = await appWithoutCode(context);
  try {
    const { stacks } = app.synth();
    const texts = stacks.flatMap(({ messages }) => messages.map(({ level, entry }) => `${level}: ${entry.data}`));
    const { Resources } = JSON.parse(await readFile(join(outdir, 'CrmApi.template.json'), 'utf8'));
    const senderOf = (name: string) => Resources[pascalCase(name)].Properties.Environment.Variables.MAIL_FROM;
    const templates = await Promise.all(
      (await readdir(outdir))
        .filter((file) => file.endsWith('.template.json'))
        .map((file) => readFile(join(outdir, file), 'utf8')),
    );
    return { text: templates.join(), warning: texts.find((text) => text.startsWith(`warning: ${noSender}`)), senderOf };
  } finally {
    await remove();
  }
}

const ofSes = (text: string) => ['AWS::SES::', 'AWS/SES', 'ses:Send'].filter((name) => text.includes(name));

test('every function that may send mail, refuse to, get it back or tell who takes part in it knows the sender address', async () => {
  const { text, warning, senderOf } = await synthesised({ mailDomain: 'mail.example.com' });
  expect(warning).toBeUndefined();
  expect(ofSes(text)).toEqual(['AWS::SES::', 'AWS/SES', 'ses:Send']);
  const refusing = (await loadRoutes()).filter(({ route }) => route.needs?.includes('mail-sender'));
  expect(refusing.map(({ name }) => name)).toEqual([
    'email-create-message',
    'email-create-reply',
    'mcp-post',
    'panel-activate-sequence',
    'sequences-resume',
  ]);
  // And what has to tell the workspace's own addresses from those of others.
  const others = ['workers-send-email', 'workers-receive-mail', 'workers-finish-sagas', 'contacts-export'];
  for (const name of [...refusing.map((route) => route.name), ...others])
    expect(senderOf(name), name).toBe('crm@mail.example.com');
});

test('a deployment without a sender address is warned of, and needs no region that has SES', async () => {
  const { text, warning, senderOf } = await synthesised({});
  expect(warning).toBeDefined();
  expect(ofSes(text)).toEqual([]);
  expect(senderOf('email-create-reply')).toBeUndefined();
});
