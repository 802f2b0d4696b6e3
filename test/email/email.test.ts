import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { parseMail } from '#lib/email/mail.ts';
import { receiveMail } from '#lib/email/receive.ts';
import { transact } from '#lib/table/transaction.ts';
import { type Environment, operator } from '#lib/tenant.ts';
import { eventually } from '#test/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { rawMail } from './raw.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

async function receive(mail: Parameters<typeof rawMail>[0] = {}, env: Environment = 'live', of = workspace) {
  const parsed = await parseMail(rawMail(mail));
  return transact({ workspaceId: of.id, env }, operator, (tx) => receiveMail(tx, parsed));
}

/** The mails that left for an address. */
async function sentTo(address: string): Promise<string[]> {
  const dir = join(inject('dataDir'), 'mail');
  const files = (await readdir(dir)).filter((file) => file.endsWith('.eml'));
  const mails = await Promise.all(files.map((file) => readFile(join(dir, file), 'utf8')));
  return mails.filter((mail) => mail.includes(address));
}

describe('an incoming mail', () => {
  test('from a stranger opens a thread without a contact', async () => {
    const { threadId, messageId } = await receive({ from: 'Stranger <nobody@example.com>', subject: 'Hello there' });
    const { status, body } = await workspace.live.get(`/v1/email/threads/${threadId}`);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: threadId,
        subject: 'Hello there',
        preview: 'Do you ship to Norway?',
        status: 'open',
        unreadCount: 1,
        isStarred: false,
        contactId: null,
        assignedToUserId: null,
        aiLeadScore: null,
        lastMessageAt: expect.stringMatching(/Z$/),
      },
    });
    expect((await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body).toEqual({
      items: [
        {
          id: messageId,
          threadId,
          direction: 'inbound',
          from: { name: 'Stranger', email: 'nobody@example.com' },
          to: [{ name: null, email: 'sales@acme.example' }],
          cc: [],
          subject: 'Hello there',
          bodyText: 'Do you ship to Norway?',
          bodyHtml: null,
          isRead: false,
          status: 'received',
          attachments: [],
          sentAt: expect.any(String),
          createdAt: expect.any(String),
        },
      ],
      nextCursor: null,
      hasMore: false,
    });
  });
});

describe('a reply', () => {
  test('leaves through SES into the thread that it answers', async () => {
    const { threadId } = await receive({
      from: 'Rita <rita@example.com>',
      subject: 'Prices',
      messageId: 'p1@example.com',
    });
    const { status, body, headers } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, {
      bodyText: 'They are low.',
    });
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        id: expect.any(Number),
        threadId,
        status: 'queued',
        runAt: expect.any(String),
        createdAt: expect.any(String),
        updatedAt: null,
        lastError: null,
      },
    });
    expect(headers.location).toBe(`/v1/jobs/${body.id}`);
    const sent = await eventually(async () => {
      const { body } = await workspace.live.get(`/v1/email/threads/${threadId}/messages`);
      return body.items[0].status === 'sent' && body.items[0];
    }, 'the reply to be sent');
    expect(sent).toMatchObject({ direction: 'outbound', subject: 'Re: Prices', isRead: true });
    const [mail] = await sentTo('rita@example.com');
    expect(mail).toContain('In-Reply-To: <p1@example.com>');
    const messageId = /^Message-ID: <(.+)>/im.exec(mail ?? '')?.[1] as string;
    expect(
      await receive({ from: 'Rita <rita@example.com>', subject: 'Re: Prices', inReplyTo: messageId }),
    ).toMatchObject({
      threadId,
    });
  });
});
