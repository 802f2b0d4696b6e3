import type * as v from 'valibot';
import { invalidField } from '#lib/core/problem.ts';
import { Activities } from '#lib/entities/activity.ts';
import { type ContactFields, Contacts, type CreateContact } from '#lib/entities/contact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { primeMember, requireActiveMember } from '#lib/workspaces/active-members.ts';
import { changeValues, setValues } from '#lib/workspaces/value-changes.ts';
import { addActivity, addCompanyActivity } from './activity.ts';
import { companyByMail } from './company-read.ts';
import { type ShownContact, withTags } from './read.ts';
import { countTags, namedTags } from './tagging.ts';
import { contactValues } from './write.ts';

/** Creates a contact (contract section 2). Emits contact.created. Raises 400 without name, username and phone, or for an unknown member. */
export async function createContact(
  tx: UnitOfWork,
  input: v.InferOutput<typeof CreateContact>,
  origin?: { isFromStranger: boolean },
): Promise<ShownContact> {
  requireIdentity(input);
  const [custom] = await Promise.all([
    changeValues(tx, contactValues, input.fields, undefined, origin),
    primeMember(tx, input.assignedToUserId),
    tx.reserveIds({ [Contacts.name]: 1, [Activities.name]: 1 }),
  ]);
  await requireActiveMember(tx, 'assignedToUserId', input.assignedToUserId);
  const [tags, company] = await Promise.all([namedTags(tx, input.tags), companyByMail(tx, input.email)]);
  const contact = tx.create(Contacts, {
    id: await tx.nextId(Contacts),
    platform: input.platform,
    name: input.name ?? null,
    username: input.username ?? null,
    phone: input.phone ?? null,
    email: input.email ?? null,
    company: company?.name ?? input.company ?? null,
    ...(company && { companyLinks: [{ companyId: company.id, title: null, isPrimary: true }] }),
    notes: input.notes ?? null,
    stage: input.stage ?? 'new',
    leadScore: input.leadScore ?? null,
    leadScoreIsAi: false,
    assignedToUserId: input.assignedToUserId ?? null,
    createdAt: tx.now,
    updatedAt: null,
    lastMessageAt: null,
    hasUnreadMessages: false,
    tagIds: tags.map(({ id }) => id),
    metadata: input.metadata ?? {},
    identities: {},
    reach: [],
    ...custom.values,
  });
  await addActivity(tx, contact.id, 'Created');
  if (company) await addCompanyActivity(tx, company.id, 'ContactAdded', { contactId: contact.id });
  await countTags(tx, contact.id, tags);
  tx.emit({
    kind: 'contact.created',
    subject: `contact/${contact.id}`,
    data: {
      contact_id: String(contact.id),
      platform: contact.platform,
      name: contact.name,
      username: contact.username,
      phone: contact.phone,
      email: contact.email,
      company: contact.company,
      stage: contact.stage,
      fields: setValues(custom),
      actor: tx.eventActor,
    },
  });
  return withTags(contact, tags);
}

/** Raises 400 where nothing of name, username, and phone is set. */
export function requireIdentity(fields: ContactFields): void {
  if (!fields.name && !fields.username && !fields.phone) {
    throw invalidField('name', 'required', 'at least one of name, username, phone is required');
  }
}
