import * as v from 'valibot';
import { dateForms, roles, themes } from '#lib/core/choices.ts';
import { addressKey, emailAddress } from '#lib/core/mail-address.ts';
import {
  choice,
  count,
  id,
  nullableLine,
  paging,
  pattern,
  queryBoolean,
  queryText,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { rowKey, sortableId } from '#lib/table/keys.ts';

/** Only ASCII before the `@`: links to sign in with go there, and look-alikes of a letter are other mailboxes. */
export const memberEmail = () => pattern(emailAddress, 254, 'an e-mail address');
const memberName = () => nullableLine(200);

/** Contract section 1. */
export const Member = v.pipe(
  v.object({
    id: id(),
    email: v.string(),
    name: v.nullable(v.string()),
    role: storedChoice(roles),
    isActive: v.boolean(),
    createdAt: time(),
  }),
  v.title('Member'),
);

export const MemberQuery = v.object({
  ...paging,
  q: v.optional(queryText()),
  isActive: v.optional(queryBoolean()),
});

export const CreateMember = v.object({
  email: memberEmail(),
  name: v.optional(memberName(), null),
  role: v.optional(choice(roles), 'member'),
});

export const InviteMember = v.pipe(v.object(CreateMember.entries), v.title('InviteMember'));

/** Fields that owners and admins of a workspace may change. The address identifies the member at sign-in and stays. */
export const PatchMember = v.pipe(
  v.object({
    name: v.optional(memberName()),
    role: v.optional(choice(roles)),
    isActive: v.optional(v.boolean()),
  }),
  v.title('PatchMember'),
);

/** Whether somebody may do everything in the workspace, now. */
export const isOwner = ({ role, isActive }: v.InferOutput<typeof Member>): boolean => role === 'owner' && isActive;

/** A workspace has no more, active or not: they stay for good, for what names them. */
export const maxMembers = 1000;

/** How the panel looks to a member; null leaves it to the browser. */
export const MemberSettings = v.object({
  timeZone: v.nullable(v.string()),
  dateForm: storedChoice(dateForms),
  language: v.nullable(v.string()),
  theme: storedChoice(themes),
  /** Whether the browser notifies, and the hour of working days at which a mail says what waits; null for none. */
  notifications: v.object({ browser: v.boolean(), mailHour: v.optional(v.nullable(count()), null) }),
});

/** Settings of a member who has chosen nothing. */
export const defaultSettings: v.InferOutput<typeof MemberSettings> = {
  timeZone: null,
  dateForm: 'language',
  language: null,
  theme: 'system',
  notifications: { browser: false, mailHour: null },
};

/** A person of the workspace. */
export const Members = entity({
  name: 'member',
  scope: 'workspace',
  schema: v.object({
    ...Member.entries,
    /** How often they were deactivated: links and sessions from before are over for good. */
    generation: v.optional(v.number(), 0),
    /** The mail that invites them has yet to be sent: since when, and the address of the panel that it names. */
    invitation: v.optional(v.nullable(v.object({ since: time(), base: v.string() })), null),
    /** Their own settings of the panel. */
    settings: v.optional(MemberSettings, defaultSettings),
    /** The mail of what waits for them: when it is due, the address of the panel that it names, and when the last one was. */
    digest: v.optional(
      v.nullable(v.object({ at: v.nullable(time()), base: v.string(), sentAt: v.nullable(time()) })),
      null,
    ),
    /** When an archive brought them. */
    importedAt: v.optional(v.nullable(time()), null),
  }),
  indexes: {
    address: {
      of: ({ isActive }) => isActive,
      across: ({ id, email }, { workspaceId }) =>
        rowKey('memberAddress', {
          address: addressKey(email),
          workspace: sortableId(workspaceId),
          id: sortableId(id),
        }),
      // Who has been where the longest no archive says, which could say so of somebody else's workspace.
      copy: ({ createdAt, importedAt, generation }) => ({ createdAt: importedAt ?? createdAt, generation }),
    },
    /** The active ones of the workspace. */
    mailbox: ({ isActive, email }) => isActive && addressKey(email),
    owner: isOwner,
  },
  timer({ id: memberId, isActive, invitation, digest }, { workspaceId }) {
    const timer = { message: { memberId }, group: `members/${workspaceId}` };
    if (invitation) return { at: invitation.since, queue: 'sign-ins', ...timer };
    return isActive && digest?.at ? { at: digest.at, queue: 'reminders', ...timer } : null;
  },
});

export type StoredMember = v.InferOutput<(typeof Members)['schema']>;
