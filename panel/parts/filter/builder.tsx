import { useState } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { Dialog, useClosing } from '../dialog.tsx';
import { AddCondition, Chip } from './chips.tsx';
import { type Known, sentenceOf } from './sentence.tsx';
import { fits, type Group, isGroup, maxLevels, type Node, newGroup } from './tree.ts';

interface BuilderProps {
  root: Group;
  known: Known;
  problems: ReadonlyMap<string, string>;
  onApply(root: Group): void;
  onClose(): void;
}

/** A dialog of the whole filter: its groups, whether all or one of their conditions hold, and which are turned around. */
export function Builder({ root, known, problems, onApply, onClose }: BuilderProps) {
  const [draft, setDraft] = useState(root);
  /** A change of which the API would take no filter is not made. */
  const [isTooDeep, setTooDeep] = useState(false);
  const change = (to: Group) => {
    setTooDeep(!fits(to));
    if (fits(to)) setDraft(to);
  };
  return (
    <Dialog title={t.filters.editFilters} onClose={onClose} isWide>
      <div class="stack">
        <GroupEditor group={draft} known={known} problems={problems} level={1} onChange={(to) => to && change(to)} />
        {isTooDeep && (
          <p class="problem" role="alert">
            {t.filters.atMostFiveLevels}
          </p>
        )}
        <Buttons onApply={() => onApply(draft)} onClose={onClose} />
      </div>
    </Dialog>
  );
}

function Buttons({ onApply, onClose }: Pick<BuilderProps, 'onClose'> & { onApply(): void }) {
  const closing = useClosing();
  return (
    <div class="actions end">
      <button type="button" onClick={() => closing(onClose)}>
        {t.common.cancel}
      </button>
      <button type="button" class="primary" onClick={onApply}>
        {t.filters.apply}
      </button>
    </div>
  );
}

interface GroupEditorProps {
  group: Group;
  known: Known;
  problems: ReadonlyMap<string, string>;
  level: number;
  onChange(group: Group | undefined): void;
}

function GroupEditor({ group, known, problems, level, onChange }: GroupEditorProps) {
  const put = (at: number, node: Node | undefined) =>
    onChange({ ...group, items: node ? group.items.with(at, node) : group.items.toSpliced(at, 1) });
  const add = (node: Node) => onChange({ ...group, items: [...group.items, node] });
  return (
    <fieldset class="filter-group">
      <legend class="hidden">{level === 1 ? t.filters.filter : sentenceOf(group, known) || t.filters.group}</legend>
      <div class="actions">
        <select
          aria-label={t.filters.group}
          value={group.join}
          onChange={({ currentTarget }) => onChange({ ...group, join: currentTarget.value === 'or' ? 'or' : 'and' })}
        >
          <option value="and">{t.filters.joins.and}</option>
          <option value="or">{t.filters.joins.or}</option>
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={group.isNot}
            onChange={({ currentTarget }) => {
              const isNot = currentTarget.checked;
              currentTarget.checked = group.isNot;
              onChange({ ...group, isNot });
            }}
          />
          {t.filters.isNot}
        </label>
        {level > 1 && (
          <button type="button" class="small" onClick={() => onChange(undefined)}>
            {t.filters.removeGroup}
          </button>
        )}
      </div>
      <ul class="filter-items">
        {group.items.map((item, at) => (
          <li key={item.id}>
            {at > 0 && <span class="muted">{t.filters[group.join]} </span>}
            {isGroup(item) ? (
              <GroupEditor
                group={item}
                known={known}
                problems={problems}
                level={level + 1}
                onChange={(to) => put(at, to)}
              />
            ) : (
              <Chip node={item} known={known} problem={problems.get(item.id)} onChange={(to) => put(at, to)} />
            )}
          </li>
        ))}
      </ul>
      <div class="actions">
        <AddCondition text={t.filters.addCondition} known={known} onAdd={add} />
        {level < maxLevels - 1 && (
          <button type="button" class="small" onClick={() => add(newGroup(group.join === 'and' ? 'or' : 'and'))}>
            {t.filters.addGroup}
          </button>
        )}
      </div>
    </fieldset>
  );
}
