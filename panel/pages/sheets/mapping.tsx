import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { go } from '../../app/route.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Checks } from '../../parts/checks.tsx';
import { Failure } from '../../parts/failure.tsx';
import { UserText } from '../../parts/user-text.tsx';
import type { Uploaded } from './choose.tsx';
import { Running } from './running.tsx';
import { fieldObjects, keysOf, targetsOf } from './targets.ts';

type Conflict = 'skip' | 'update' | 'fail';
type Creatable = 'tags' | 'options' | 'companies';

/** Says which column becomes which field, tries it, and begins the import. */
export function Mapping({ object, fileId, fileName, preview, onCancel }: Uploaded & { onCancel(): void }) {
  const { columns, rows } = preview;
  const [mapping, setMapping] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(columns.flatMap(({ header, suggested }) => (suggested === null ? [] : [[header, suggested]]))),
  );
  const [matchOn, setMatchOn] = useState('');
  const [onConflict, setOnConflict] = useState<Conflict>('update');
  const [createMissing, setCreateMissing] = useState<ReadonlySet<Creatable>>(new Set());
  const [isSilent, setSilent] = useState(false);
  const [trialId, setTrialId] = useState<number>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const definitions = useLoaded(
    async (signal) =>
      object === 'notes'
        ? []
        : (await api.get('/v1/fields', { signal, params: { query: { object: fieldObjects[object], limit: 100 } } }))
            .items,
    [],
  );
  const fields = definitions.data ?? [];
  const mapped = Object.values(mapping).filter(Boolean);
  const keys = keysOf(object, fields, mapped);
  const match = keys.some(([key]) => key === matchOn) ? matchOn : '';
  const begin = async (dryRun: boolean) => {
    setBusy(true);
    setError(undefined);
    try {
      const body = {
        ...{ fileId, object, dryRun, silent: isSilent, createMissing: [...createMissing] },
        mapping: Object.fromEntries(Object.entries(mapping).filter(([, field]) => field !== '')),
        ...(match !== '' && { matchOn: match, onConflict }),
      };
      const { id } = await api.post('/v1/imports', { body });
      if (dryRun) setTrialId(id);
      else go(`/import/${id}`);
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const change = (work: () => void) => {
    setTrialId(undefined);
    work();
  };
  return (
    <section class="card lines" aria-label={t.sheets.newImport}>
      <h2>
        <UserText text={fileName} />
      </h2>
      <p class="hint">{t.sheets.aboutRows(count(rows), t.sheets.of[object])}</p>
      <fieldset class="mapping">
        <legend class="label">{t.sheets.mapping}</legend>
        <div class="two">
          {columns.map(({ header, samples, suggested }) => (
            <div key={header} class="field">
              <span class="label">
                <UserText text={header} isName />
              </span>
              <select
                aria-label={t.sheets.fieldOf(header)}
                value={mapping[header] ?? ''}
                onChange={({ currentTarget: { value } }) =>
                  change(() => setMapping((before) => ({ ...before, [header]: value })))
                }
              >
                <option value="">{t.sheets.leaveOut}</option>
                {targetsOf(object, fields, header, suggested).map(([target, title]) => (
                  <option key={target} value={target}>
                    {title}
                  </option>
                ))}
              </select>
              <span class="hint">
                <UserText text={samples.join(' · ')} isName />
              </span>
            </div>
          ))}
        </div>
      </fieldset>
      {keys.length > 0 && (
        <div class="field">
          <label for="import-match">{t.sheets.aRecordIsTheSame}</label>
          <select
            id="import-match"
            value={match}
            onChange={({ currentTarget: { value } }) => change(() => setMatchOn(value))}
          >
            <option value="">{t.sheets.neverEveryRowIsNew}</option>
            {keys.map(([key, title]) => (
              <option key={key} value={key}>
                {t.sheets.withTheSame(title)}
              </option>
            ))}
          </select>
        </div>
      )}
      {match !== '' && (
        <div class="field">
          <label for="import-conflict">{t.sheets.ifItIsThere}</label>
          <select
            id="import-conflict"
            value={onConflict}
            onChange={({ currentTarget: { value } }) => change(() => setOnConflict(value as Conflict))}
          >
            <option value="update">{t.sheets.updateIt}</option>
            <option value="skip">{t.sheets.leaveItAsItIs}</option>
            <option value="fail">{t.sheets.countTheRowAsFailed}</option>
          </select>
        </div>
      )}
      <Checks<Creatable>
        legend={t.sheets.makeWhatIsMissing}
        chosen={createMissing}
        onChange={(chosen) => change(() => setCreateMissing(chosen))}
        options={[
          { value: 'tags', text: t.contacts.tags },
          { value: 'options', text: t.sheets.optionsOfFields },
          { value: 'companies', text: t.companies.companies },
        ]}
      />
      <Checks<'silent'>
        legend={t.sheets.silence}
        chosen={new Set(isSilent ? ['silent'] : [])}
        onChange={(chosen) => change(() => setSilent(chosen.has('silent')))}
        options={[{ value: 'silent', text: t.sheets.withoutEvents }]}
      />
      {error !== undefined && <Failure error={error} />}
      {trialId !== undefined && <Running key={trialId} id={trialId} />}
      <div class="actions end">
        <button type="button" onClick={onCancel}>
          {t.common.cancel}
        </button>
        <button type="button" disabled={isBusy || mapped.length === 0} onClick={() => begin(true)}>
          {t.sheets.tryIt}
        </button>
        <button type="button" class="primary" disabled={isBusy || mapped.length === 0} onClick={() => begin(false)}>
          {t.sheets.importRows(count(rows))}
        </button>
      </div>
    </section>
  );
}
