import * as v from 'valibot';
import { dateForms, themes } from '#lib/core/choices.ts';
import { choice, integer, nullablePattern, objectInput, timeZone } from '#lib/core/schema.ts';
import { Member, MemberSettings, Members, PatchMember, type StoredMember } from '#lib/entities/member.ts';
import { changedFields } from '#lib/events/changes.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { nextDigest } from './digest-time.ts';
import { getMember } from './members.ts';

const { id, email, name, role } = Member.pipe[0].entries;

/** A member as they see and set themselves. */
export const OwnProfile = v.pipe(v.object({ id, email, name, role, ...MemberSettings.entries }), v.title('OwnProfile'));

export const PatchOwnProfile = v.pipe(
  v.object({
    name: PatchMember.pipe[0].entries.name,
    timeZone: v.optional(v.nullable(timeZone())),
    dateForm: v.optional(choice(dateForms)),
    language: v.optional(nullablePattern(/^[a-z]{2,3}(-[A-Z]{2})?$/, 6, 'a language such as de or pt-BR')),
    theme: v.optional(choice(themes)),
    notifications: v.optional(
      objectInput({ browser: v.optional(v.boolean()), mailHour: v.optional(v.nullable(integer(0, 23))) }),
    ),
  }),
  v.title('PatchOwnProfile'),
);

const toProfile = ({ settings, ...member }: StoredMember) => ({ ...member, ...settings });

/** Returns the member with their settings in this workspace. */
export const getOwnProfile = async (tx: UnitOfWork, memberId: number) => toProfile(await getMember(tx, memberId));

/**
 * Changes the name or the settings of a member; notifications that are left out keep their values. `base` is the address of the panel
 * that mails name.
 */
export async function patchOwnProfile(
  tx: UnitOfWork,
  memberId: number,
  { name: newName, notifications, ...given }: v.InferOutput<typeof PatchOwnProfile>,
  base: string,
) {
  const member = await getMember(tx, memberId);
  const { settings: before, digest } = member;
  const { browser = before.notifications.browser, mailHour = before.notifications.mailHour } = notifications ?? {};
  const settings = {
    ...before,
    ...Object.fromEntries(changedFields(before, given).map((field) => [field, given[field]])),
    notifications: { browser, mailHour },
  };
  const sentAt = digest?.sentAt ?? null;
  const isSameTime = settings.timeZone === before.timeZone && mailHour === before.notifications.mailHour;
  const at = digest && isSameTime ? digest.at : nextDigest(settings, tx.now, sentAt);
  return toProfile(
    tx.update(Members, {
      ...member,
      name: newName === undefined ? member.name : newName,
      settings,
      digest: at === null && sentAt === null ? null : { at, base, sentAt },
    }),
  );
}
