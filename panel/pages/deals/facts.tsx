import { useId } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import type { Loaded } from '../../app/load.ts';
import { memberName, namesOf } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { current, may } from '../../app/session.ts';
import { dayDate, money, nameOf, percent } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { CompanyField, companyIn } from '../../parts/company-field.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
import { dealValues } from '../../parts/edit-deal.tsx';
import { type Edit, Field, type Values } from '../../parts/form.tsx';
import { InPlace } from '../../parts/in-place.tsx';
import { dayInstant, dayOf } from '../../parts/local-time.ts';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { isOverdue } from './overdue.ts';

type Deal = Schema<'DealWithTasks'>;
type Patch = Partial<Schema<'PatchDeal'>>;

/** What an `InPlace` of a deal needs: how it is read and written. */
export const editing = (deal: Loaded<Deal>, data: Deal, bodyOf: (values: Values) => Patch) => ({
  of: { path: `/v1/deals/${data.id}?include=company`, valuesOf: dealValues },
  isFixed: !may('deals:write'),
  onSave: async (values: Values, { only, header }: Edit) => {
    const body = only(bodyOf(values));
    if (Object.keys(body).length === 0) return;
    const params = { path: { id: data.id }, header, query: { include: 'company' } };
    const saved = await api.patch('/v1/deals/{id}', { params, body });
    deal.change((before) => ({ ...before, ...saved }));
  },
});

interface FactsProps {
  deal: Loaded<Deal>;
  data: Deal;
  members: readonly Schema<'Member'>[];
}

/** Whose a deal is and what is known of it, edited in place. */
export function Facts({ deal, data, members }: FactsProps) {
  const isWon = data.stage === 'Won';
  const edit = (bodyOf: (values: Values) => Patch) => editing(deal, data, bodyOf);
  const value = edit((given) => ({
    value: Number(given['value'] ?? 0),
    currency: given['currency']?.toUpperCase() ?? '',
  }));
  return (
    <section class="card" aria-label={t.deals.facts}>
      <Owner deal={deal} data={data} members={members} />
      <dl class="details">
        <InPlace
          label={t.common.title}
          shown={<UserText text={data.title} />}
          {...edit(({ title = '' }) => ({ title }))}
        >
          <Field label={t.common.title} name="title" value={data.title} required maxLength={200} />
        </InPlace>
        <InPlace
          label={t.deals.value}
          shown={money(data.value, data.currency)}
          {...value}
          isFixed={value.isFixed || isWon}
        >
          <div class="two">
            <Field label={t.deals.value} name="value" type="number" min={0} step={0.01} value={data.value} />
            <Field
              label={t.common.currency}
              name="currency"
              value={data.currency || current.value?.workspace.currency}
              maxLength={3}
            />
          </div>
        </InPlace>
        <InPlace
          label={t.deals.probability}
          shown={percent(data.probability / 100)}
          {...edit(({ probability }) => ({ probability: Number(probability ?? 0) }))}
        >
          <Field
            label={t.deals.probabilityIn}
            name="probability"
            type="number"
            min={0}
            max={100}
            step={1}
            value={data.probability}
          />
        </InPlace>
        <InPlace
          label={t.deals.expectedToClose}
          shown={
            data.expectedCloseAt && (
              <span class={isOverdue(data) ? 'bad' : undefined}>{dayDate(dayOf(data.expectedCloseAt))}</span>
            )
          }
          {...edit(({ expectedCloseAt }) => ({ expectedCloseAt: dayInstant(expectedCloseAt) }))}
        >
          <Field
            label={t.deals.expectedToClose}
            name="expectedCloseAt"
            type="date"
            value={data.expectedCloseAt && dayOf(data.expectedCloseAt)}
          />
        </InPlace>
        <InPlace
          label={t.common.contact}
          shown={data.contactId !== null && <UserText text={data.contactName ?? `#${data.contactId}`} />}
          {...edit(({ contactId }) => ({ contactId: contactIn(contactId) }))}
        >
          <ContactField value={data.contactId === null ? undefined : { id: data.contactId, name: data.contactName }} />
        </InPlace>
        {may('companies:read') && (
          <InPlace
            label={t.companies.company}
            shown={
              data.company && (
                <a href={linkTo(`/companies/${data.company.id}`)}>
                  <UserText text={data.company.name} />
                </a>
              )
            }
            isLink
            {...edit(({ companyId }) => ({ companyId: companyIn(companyId) }))}
          >
            <CompanyField value={data.company ?? undefined} />
          </InPlace>
        )}
        {data.closedAt !== null && (
          <div>
            <dt>{t.deals.closed}</dt>
            <dd>
              <When at={data.closedAt} />
            </dd>
          </div>
        )}
        <div>
          <dt>{t.common.created}</dt>
          <dd>
            <When at={data.createdAt} />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Owner({ deal, data, members }: FactsProps) {
  const id = useId();
  const ownerId = data.owner?.assignedToUserId ?? null;
  const show = (userId: number | null) => deal.change((of) => ({ ...of, owner: { assignedToUserId: userId } }));
  const assign = async (userId: number | null) => {
    const post = (to: number | null) =>
      api.post('/v1/deals/{id}/assignee', { params: { path: { id: data.id } }, body: { userId: to } });
    show(userId);
    const said =
      userId === null
        ? t.contacts.nobodyIsAssignedAnyMore
        : t.contacts.isAssigned(memberName(namesOf(members), userId));
    const undo = () => post(ownerId).then(() => show(ownerId));
    await attempt(() => post(userId), { said, undo, takeBack: () => show(ownerId) });
  };
  return (
    <div class="field owner">
      <label for={id}>{t.deals.owner}</label>
      <select
        id={id}
        disabled={!may('deals:write')}
        value={ownerId ?? ''}
        onChange={(event) => assign(Number(event.currentTarget.value) || null)}
      >
        <option value="">{t.common.nobody}</option>
        {members
          .filter((member) => member.isActive || member.id === ownerId)
          .map((member) => (
            <option key={member.id} value={member.id}>
              {nameOf(member)}
            </option>
          ))}
      </select>
    </div>
  );
}
