import { system, type Tenant } from '#lib/core/tenant.ts';
import { parseMail } from '#lib/email/mail.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { storeMessage } from '#lib/messages/store.ts';
import { transact } from '#lib/table/transact.ts';
import { receiveMail } from '#lib/transport/receiving/mail.ts';
import { type MailFields, rawMail, trusted } from '#test/email/raw.ts';
import { settle } from '#test/harness.ts';
import { newWorkspace } from '#test/workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
export type Shown = any;

type Query = Record<string, string | number | boolean>;

/** A workspace with a Telegram account, in which contacts and strangers write. */
export async function conversations() {
  const workspace = await newWorkspace();
  const { live } = workspace;
  const tenant: Tenant = { workspaceId: workspace.id, env: 'live' };
  const account = { kind: 'bot', username: null, dailyLimit: 10, secret: '1:a' } as const;
  const newAccount = async (name: string) =>
    (await transact(tenant, system, (tx) => createAccount(tx, { ...account, channel: 'telegram', name }))).id;
  const accountId = await newAccount('Bot');
  const contact = async (name: string, more: object = {}) =>
    (await live.post('/v1/contacts', { name, ...more }, 201)).body.id as number;
  const write = (contactId: number, direction: 'inbound' | 'outbound', body: string, more: object = {}) =>
    transact(tenant, system, (tx) =>
      storeMessage(tx, {
        contactId,
        channel: 'telegram',
        direction,
        status: direction === 'inbound' ? 'received' : 'sent',
        body,
        accountId,
        ...more,
      }),
    );
  const mail = async (fields: MailFields) => {
    const parsed = await parseMail(rawMail(fields));
    return transact(tenant, system, (tx) => receiveMail(tx, parsed, trusted));
  };
  const list = async (query: Query = {}): Promise<Shown[]> => (await live.get('/v1/conversations', query)).body.items;
  const of = async (contactId: number): Promise<Shown> => {
    const found = (await list({ limit: 100 })).find((one) => one.contactId === contactId);
    if (!found) throw new Error(`contact ${contactId} has no conversation`);
    return found;
  };
  const events = async (conversationId: number) => {
    await settle();
    const { body } = await live.get('/v1/events', { eventKind: 'conversation.updated', limit: 100 });
    return (body.items as Shown[])
      .map(({ data }) => data)
      .filter((data) => data.conversation_id === String(conversationId));
  };
  return { ...workspace, tenant, accountId, newAccount, contact, write, mail, list, of, events };
}
