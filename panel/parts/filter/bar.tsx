import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { ApiError, type Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { language } from '../../app/locale.ts';
import type { Names } from '../../app/names.ts';
import { place } from '../../app/route.ts';
import { may, type Scope } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { attempt, say } from '../../app/toasts.ts';
import type { Question } from '../table/question.ts';
import { Builder } from './builder.tsx';
import { AddCondition, Chip } from './chips.tsx';
import { type FilterField, fieldsOf, type SearchedObject } from './fields.ts';
import { useRecords } from './names.ts';
import { type Asking, isChanged, kept, openView, type View } from './question.ts';
import type { Known } from './sentence.tsx';
import { type Condition, conditionsIn, fits, type Group, newGroup, replaced, treeOf, written } from './tree.ts';
import { contentsOf, linkToView, SaveView, Views } from './views.tsx';

export interface FilterBarProps {
  object: SearchedObject;
  value: Question;
  onChange(value: Question): void;
  views: Asking['views'];
  /** The custom fields of the object. */
  fields: readonly Schema<'Field'>[];
  members: Names;
  /** What the search has answered; its faults are shown at their conditions. */
  error?: unknown;
  /** Where the filter is in what is searched. */
  at?: string;
}

const writes: Record<SearchedObject, Scope> = {
  contact: 'contacts:write',
  company: 'companies:write',
  deal: 'deals:write',
  task: 'tasks:write',
};

/** The saved views of an object as tabs, and what is filtered by, as chips that read as a sentence. */
export function FilterBar({ object, value, onChange, views, fields: definitions, members, error, at }: FilterBarProps) {
  const fields = useMemo(() => fieldsOf(object, definitions), [object, JSON.stringify(definitions), language.value]);
  const root = useMemo(() => treeOf(value.filter), [JSON.stringify(value.filter)]);
  const records = useRecords(conditionsIn(root), fields, members);
  const known: Known = { fields, records };
  const canWrite = may(writes[object]);
  const { data: all = [] } = views;
  const view = all.find(({ id }) => id === value.viewId);
  const isUnknown = place.value.query.has('view') && views.data !== undefined && view === undefined;
  const put = (saved: View) =>
    views.change((before) => [...before.filter(({ id }) => id !== saved.id), saved].sort((a, b) => a.id - b.id));
  const drop = ({ id: gone }: View) => {
    openView(undefined);
    views.change((before) => before.filter(({ id }) => id !== gone));
  };
  const change = (to: Group) => onChange({ ...value, filter: written(to).filter });
  const wrong = faultsOf(error, root, value, at);
  return (
    <div class="filter-bar">
      <Views views={all} value={value} canWrite={canWrite} onSaved={put} onRemoved={drop} />
      {isUnknown && <p class="note">{t.filters.noSuchView}</p>}
      {view && (wrong.gone.length > 0 || wrong.goneSorts.size > 0) && (
        <Gone
          view={view}
          field={wrong.gone[0]?.field ?? [...wrong.goneSorts][0] ?? ''}
          onDrop={() => {
            const tree = wrong.gone.reduce<Group>((before, { id }) => replaced(before, id, undefined), root);
            const sort = value.sort.filter(({ field }) => !wrong.goneSorts.has(field));
            onChange({ ...value, filter: written(tree).filter, sort });
          }}
        />
      )}
      <Chips root={root} known={known} problems={wrong.problems} onChange={change}>
        <Saving object={object} fields={fields} value={value} view={view} canWrite={canWrite} onSaved={put} />
      </Chips>
    </div>
  );
}

interface Faults {
  /** What is wrong with a condition, by its id. */
  problems: ReadonlyMap<string, string>;
  /** Conditions whose field is gone. */
  gone: readonly Condition[];
  /** Fields of the order that are gone. */
  goneSorts: ReadonlySet<string>;
}

function faultsOf(error: unknown, root: Group, { sort }: Question, at = 'filter'): Faults {
  const faults = error instanceof ApiError ? error.fields : [];
  const { places } = written(root, at);
  const problems = new Map<string, string>();
  const gone: Condition[] = [];
  for (const condition of conditionsIn(root)) {
    const place = places.get(condition.id);
    const fault = faults.find(({ field }) => place !== undefined && field.startsWith(`${place}.`));
    if (!fault) continue;
    const isGone = fault.field === `${place}.field`;
    if (isGone) gone.push(condition);
    problems.set(condition.id, isGone ? t.filters.gone(condition.field) : fault.message.slice(fault.field.length + 1));
  }
  const isGone = (_: unknown, index: number) => faults.some(({ field }) => field === `sort[${index}].field`);
  return { problems, gone, goneSorts: new Set(sort.filter(isGone).map(({ field }) => field)) };
}

interface GoneProps {
  view: View;
  field: string;
  onDrop(): void;
}

/** Says which field a view asks for that is gone. */
const Gone = ({ view, field, onDrop }: GoneProps) => (
  <div class="note row" role="alert">
    <p>{t.filters.viewIsInvalid(view.name, field)}</p>
    <button type="button" class="small" onClick={onDrop}>
      {t.filters.dropIt}
    </button>
  </div>
);

interface ChipsProps {
  root: Group;
  known: Known;
  problems: ReadonlyMap<string, string>;
  onChange(root: Group): void;
  children: ComponentChildren;
}

/** What is filtered by, with what can be done to it. */
function Chips({ root, known, problems, onChange, children }: ChipsProps) {
  const [isBuilding, setBuilding] = useState(false);
  // What is turned around as a whole is one chip.
  const shown = root.isNot ? { ...root, items: [root] } : root;
  const put = (id: string, node: Group['items'][number] | undefined) =>
    onChange(id === root.id ? treeOf(undefined) : replaced(root, id, node));
  const add = (condition: Condition) =>
    onChange(root.isNot ? newGroup('and', [root, condition]) : { ...root, items: [...root.items, condition] });
  const isFull = !fits({ ...root, items: [...root.items, { id: 'more', field: 'id', op: 'isSet' }] });
  return (
    <div class="filter-chips">
      {shown.items.length > 0 && (
        <ul aria-label={t.filters.filter}>
          {shown.items.map((node, at) => (
            <li key={node.id}>
              {at > 0 && <span class="muted">{t.filters[root.join]} </span>}
              <Chip
                node={node}
                known={known}
                problem={conditionsIn(node)
                  .map(({ id }) => problems.get(id))
                  .find((problem) => problem !== undefined)}
                onChange={(to) => put(node.id, to)}
                onOpen={() => setBuilding(true)}
              />
            </li>
          ))}
        </ul>
      )}
      {!isFull && (
        <AddCondition
          text={shown.items.length === 0 ? t.filters.filter : t.filters.addFilter}
          known={known}
          onAdd={add}
        />
      )}
      <button type="button" class="small" onClick={() => setBuilding(true)}>
        {t.filters.allFilters}
      </button>
      {shown.items.length > 0 && (
        <button type="button" class="small quiet" onClick={() => onChange(treeOf(undefined))}>
          {t.filters.clear}
        </button>
      )}
      {children}
      {isBuilding && (
        <Builder
          root={root}
          known={known}
          problems={problems}
          onApply={(to) => {
            setBuilding(false);
            onChange(to);
          }}
          onClose={() => setBuilding(false)}
        />
      )}
    </div>
  );
}

interface SavingProps {
  object: SearchedObject;
  fields: readonly FilterField[];
  value: Question;
  view: View | undefined;
  canWrite: boolean;
  onSaved(view: View): void;
}

/** What keeps a change of what is shown: in the view, as a new one, or not at all. */
function Saving({ object, fields, value, view, canWrite, onSaved }: SavingProps) {
  const [isNaming, setNaming] = useState(false);
  const hasChange = isChanged(value, view) || (view === undefined && value.filter !== undefined);
  if (!hasChange) return null;
  const save = async () => {
    if (!view) return;
    const put = async (contents: ReturnType<typeof contentsOf>) => {
      onSaved(await api.patch('/v1/views/{id}', { params: { path: { id: view.id } }, body: contents }));
      openView(view.id);
    };
    await attempt(() => put(contentsOf(value, fields)), {
      said: t.filters.isSaved(view.name),
      undo: () => put(contentsOf(kept(view), fields)),
    });
  };
  return (
    <div class="actions">
      {view && canWrite && (
        <button type="button" class="small primary" onClick={save}>
          {t.filters.saveChanges}
        </button>
      )}
      {canWrite && (
        <button type="button" class="small" onClick={() => setNaming(true)}>
          {view ? t.filters.saveAsNew : t.filters.saveAsView}
        </button>
      )}
      {view && (
        <button type="button" class="small" onClick={() => openView(view.id)}>
          {t.filters.discard}
        </button>
      )}
      {isNaming && (
        <SaveView
          object={object}
          fields={fields}
          value={value}
          onClose={() => setNaming(false)}
          onSaved={(saved) => {
            setNaming(false);
            say(t.filters.isSaved(saved.name));
            onSaved(saved);
            location.hash = linkToView(saved.id);
          }}
        />
      )}
    </div>
  );
}
