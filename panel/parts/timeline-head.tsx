import { useState } from 'preact/hooks';
import { t } from '../app/texts.ts';
import { Field, Form } from './form.tsx';

interface SwitchProps<Side extends string> {
  /** The id of the heading, which tells the switches of a page apart. */
  id: string;
  sides: readonly Side[];
  side: Side;
  change(side: Side): void;
}

/** The heading of a timeline, and which of its entries are shown. */
export const TimelineHead = <Side extends keyof typeof t.contacts.sides>({
  id,
  sides,
  side,
  change,
}: SwitchProps<Side>) => (
  <div class="row">
    <h2 id={id}>{t.contacts.timeline}</h2>
    <fieldset class="switch">
      <legend class="hidden">{t.contacts.show}</legend>
      {sides.map((one) => (
        <label key={one}>
          <input type="radio" name={`${id}-side`} checked={side === one} onChange={() => change(one)} />
          <span>{t.contacts.sides[one]}</span>
        </label>
      ))}
    </fieldset>
  </div>
);

/** A place to note something; it is empty again once that is saved. */
export function NoteForm({ save }: { save(text: string): Promise<unknown> }) {
  const [drafts, setDrafts] = useState(0);
  return (
    <Form
      key={drafts}
      submit={t.contacts.addNote}
      isNew
      onSubmit={async ({ text = '' }) => {
        await save(text);
        setDrafts(drafts + 1);
      }}
    >
      <Field
        label={t.contacts.note}
        name="text"
        rows={2}
        required
        maxLength={10_000}
        placeholder={t.contacts.whatShouldYourTeamKnow}
      />
    </Form>
  );
}
