import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../app/texts.ts';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';
import { UserText } from './user-text.tsx';

/** A value of both records: of two that differ, the one of the record that stays is kept. */
export interface Side<Of> {
  label: string;
  show(of: Of): ComponentChildren;
  /** Both values are kept. */
  isUnited?: boolean;
}

interface SideBySideProps<Of> {
  /** The first stays unless somebody swaps them. */
  records: readonly [Of, Of];
  nameOf(of: Of): string;
  sides: readonly Side<Of>[];
  /** What follows from it. */
  hint: string;
  onMerge(kept: Of, gone: Of): Promise<unknown>;
  onClose(): void;
}

const isEmpty = (shown: ComponentChildren) => shown === undefined || shown === null || shown === false || shown === '';

/** Shows two records of one thing beside each other, which of their values stay, and merges them. */
export function SideBySide<Of>({ records, nameOf, sides, hint, onMerge, onClose }: SideBySideProps<Of>) {
  const [isSwapped, setSwapped] = useState(false);
  const [kept, gone] = isSwapped ? [records[1], records[0]] : records;
  const rows = sides
    .map(({ show, ...side }) => ({ ...side, kept: show(kept), gone: show(gone) }))
    .filter((row) => !isEmpty(row.kept) || !isEmpty(row.gone));
  return (
    <Dialog title={t.contacts.mergeInto(nameOf(gone), nameOf(kept))} isWide onClose={onClose}>
      <Form submit={t.contacts.merge2} isDangerous onCancel={onClose} onSubmit={() => onMerge(kept, gone)}>
        <div class="scroller">
          <table class="side-by-side">
            <thead>
              <tr>
                <th scope="col">
                  <button type="button" class="small" onClick={() => setSwapped(!isSwapped)}>
                    {t.parts.swap}
                  </button>
                </th>
                <th scope="col">
                  <UserText text={nameOf(kept)} /> · {t.parts.stays}
                </th>
                <th scope="col">
                  <UserText text={nameOf(gone)} /> · {t.parts.goes}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.label}>
                  <th scope="row">{row.label}</th>
                  <td class={isEmpty(row.kept) ? undefined : 'taken'}>{isEmpty(row.kept) ? '–' : row.kept}</td>
                  <td class={isEmpty(row.gone) ? undefined : row.isUnited || isEmpty(row.kept) ? 'taken' : 'dropped'}>
                    {isEmpty(row.gone) ? '–' : row.gone}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p class="hint">{hint}</p>
      </Form>
    </Dialog>
  );
}
