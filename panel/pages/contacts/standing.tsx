import { useId } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { memberName, namesOf } from '../../app/names.ts';
import { mayChange } from '../../app/session.ts';
import { nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import type { OneContact } from './one.ts';
import { stages } from './stages.ts';

type Stage = Schema<'ContactStage'>;

interface StandingProps {
  contact: OneContact;
  members: readonly Schema<'Member'>[];
}

/** How far a contact is, and whose they are; a change shows at once and can be undone. */
export function Standing({ contact, members }: StandingProps) {
  const id = useId();
  const { data } = contact;
  if (!data) return null;
  const path = { id: data.id };
  const isFixed = !mayChange('contacts:write', data);
  const before = () => contact.change(() => data);

  const setStage = async (stage: Stage) => {
    const post = (to: Stage) => api.post('/v1/contacts/{id}/stage', { params: { path }, body: { stage: to } });
    contact.change((of) => ({ ...of, stage }));
    const undo = () => post(data.stage).then(before);
    await attempt(() => post(stage), { said: t.contacts.theStageIsNow(worded(stage)), undo, takeBack: before });
  };
  const assign = async (userId: number | null) => {
    const post = (to: number | null) =>
      api.post('/v1/contacts/{id}/assignee', { params: { path }, body: { userId: to } });
    contact.change((of) => ({ ...of, assignedToUserId: userId }));
    const undo = () => post(data.assignedToUserId).then(before);
    const said =
      userId === null
        ? t.contacts.nobodyIsAssignedAnyMore
        : t.contacts.isAssigned(memberName(namesOf(members), userId));
    await attempt(() => post(userId), { said, undo, takeBack: before });
  };

  const others = members.filter(({ isActive, id: member }) => isActive || member === data.assignedToUserId);
  return (
    <div class="card">
      <div class="two">
        <div class="field">
          <label for={`${id}-stage`}>{t.common.stage}</label>
          <select
            id={`${id}-stage`}
            disabled={isFixed}
            value={data.stage}
            onChange={(event) => setStage(event.currentTarget.value as Stage)}
          >
            {stages.map((stage) => (
              <option key={stage} value={stage}>
                {worded(stage)}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-assignee`}>{t.contacts.assignedTo}</label>
          <select
            id={`${id}-assignee`}
            disabled={isFixed}
            value={data.assignedToUserId ?? ''}
            onChange={(event) => assign(Number(event.currentTarget.value) || null)}
          >
            <option value="">{t.common.nobody}</option>
            {others.map((member) => (
              <option key={member.id} value={member.id}>
                {nameOf(member)}
              </option>
            ))}
          </select>
        </div>
      </div>
    </div>
  );
}
