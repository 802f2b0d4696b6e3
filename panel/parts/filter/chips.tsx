import { useRef, useState } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { Icon } from '../icon.tsx';
import { ConditionEditor } from './condition-editor.tsx';
import { Popover } from './popover.tsx';
import { type Known, Sentence, sentenceOf } from './sentence.tsx';
import { type Condition, isGroup, type Node } from './tree.ts';

interface ChipProps {
  node: Node;
  known: Known;
  problem: string | undefined;
  /** Puts something in its place; nothing takes it out. */
  onChange(node: Node | undefined): void;
  /** Opens a group. */
  onOpen?: (() => void) | undefined;
}

/** A condition that a click edits, or a group that a click opens. */
export function Chip({ node, known, problem, onChange, onOpen }: ChipProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const sentence = sentenceOf(node, known, true);
  const close = () => setOpen(false);
  return (
    <>
      <span class={problem === undefined ? 'filter-chip' : 'filter-chip wrong'}>
        <button
          ref={button}
          type="button"
          class="quiet"
          aria-label={t.filters.editCondition(sentence)}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={() => (isGroup(node) ? onOpen?.() : setOpen(true))}
        >
          <Sentence node={node} known={known} isInner />
        </button>
        <button type="button" class="quiet" aria-label={t.filters.remove(sentence)} onClick={() => onChange(undefined)}>
          <Icon name="close" />
        </button>
      </span>
      {problem !== undefined && <span class="problem"> {problem}</span>}
      {isOpen && !isGroup(node) && (
        <Popover label={t.filters.editCondition(sentence)} anchor={button} onClose={close}>
          <ConditionEditor
            condition={node}
            known={known}
            problem={problem}
            onApply={(condition) => {
              close();
              onChange(condition);
            }}
            onRemove={() => {
              close();
              onChange(undefined);
            }}
          />
        </Popover>
      )}
    </>
  );
}

interface AddConditionProps {
  text: string;
  known: Known;
  onAdd(condition: Condition): void;
}

/** A button that opens the editor of a new condition. */
export function AddCondition({ text, known, onAdd }: AddConditionProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="small"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Icon name="plus" />
        {text}
      </button>
      {isOpen && (
        <Popover label={text} anchor={button} onClose={() => setOpen(false)}>
          <ConditionEditor
            condition={undefined}
            known={known}
            onApply={(condition) => {
              setOpen(false);
              onAdd(condition);
            }}
          />
        </Popover>
      )}
    </>
  );
}
