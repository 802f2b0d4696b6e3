import { useId } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { readBoards, readColumns } from '../../app/boards.ts';
import { touching } from '../../app/live.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { memberName, namesOf } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { current, may, mayChange } from '../../app/session.ts';
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
import { placed, placeOf } from './board.ts';
import { moveDeal } from './move.ts';
import { isOverdue } from './overdue.ts';

type Deal = Schema<'DealWithTasks'>;
type Patch = Partial<Schema<'PatchDeal'>>;

/** What an `InPlace` of a deal needs: how it is read and written. */
export const editing = (deal: Loaded<Deal>, data: Deal, bodyOf: (values: Values) => Patch) => ({
  of: { path: `/v1/deals/${data.id}?include=company`, valuesOf: dealValues },
  isFixed: !mayChange('deals:write', data),
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
      <OnBoard deal={deal} data={data} />
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
        {data.pipeline?.lostReason && (
          <div>
            <dt>{t.deals.lostReason}</dt>
            <dd class="text">
              <UserText text={data.pipeline.lostReason} />
            </dd>
          </div>
        )}
        {data.pipeline && (
          <div>
            <dt>{t.deals.column}</dt>
            <dd>
              <UserText text={data.pipeline.columnName} /> · <When at={data.pipeline.columnSince} />
            </dd>
          </div>
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

/** The board of a deal: on another one it goes to the first column of its stage, else to the first of all. */
function OnBoard({ deal, data }: Omit<FactsProps, 'members'>) {
  const id = useId();
  const boards = useLoaded(
    async (signal) => (may('pipelines:read') ? readBoards(signal) : []),
    [],
    touching('pipeline'),
  );
  const here = data.pipeline;
  const others = boards.data?.filter((board) => board.id !== here?.id) ?? [];
  if (!here || others.length === 0) return null;
  const move = async (boardId: number) => {
    await attempt(async () => {
      const columns = await readColumns(new AbortController().signal, boardId);
      const { stage } = placeOf(data);
      const to = columns.find((column) => column.stage === stage) ?? columns[0];
      if (!to) return;
      const board = { ...here, id: boardId, name: others.find(({ id: of }) => of === boardId)?.name ?? here.name };
      await moveDeal(data, to, {
        lostReason: here.lostReason ?? undefined,
        show: (at) => deal.change((before) => placed({ ...before, pipeline: at === to ? board : here }, at)),
        onMoved: deal.reload,
      });
    });
  };
  return (
    <div class="field owner">
      <label for={id}>{t.deals.pipeline}</label>
      <select
        id={id}
        disabled={!mayChange('deals:write', data) || data.stage === 'Won'}
        value={here.id}
        onChange={(event) => move(Number(event.currentTarget.value))}
      >
        {[here, ...others].map((board) => (
          <option key={board.id} value={board.id}>
            {board.name}
          </option>
        ))}
      </select>
    </div>
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
        disabled={!mayChange('deals:write', data)}
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
