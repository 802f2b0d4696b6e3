import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { allScopes, isPowerful, textOf } from '../../app/scopes.ts';
import { current, type Scope } from '../../app/session.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Checks } from '../../parts/checks.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type Edit, Field, Form, type Values } from '../../parts/form.tsx';
import { instant, localTime } from '../../parts/local-time.ts';

type Key = Schema<'Key'>;

interface EditKeyProps {
  /** Undefined for a new one. */
  of?: Key | undefined;
  onMinted(secret: string): void;
  onDone(): void;
  onClose(): void;
}

const listed = (scopes: Iterable<Scope>) => [...scopes].sort().join(', ');

const valuesOf = ({ name, scopes, expiresAt, ipAllowlist }: Key): Values => ({
  name,
  scopes: listed(scopes),
  expiresAt: expiresAt === null ? undefined : localTime(expiresAt),
  ipAllowlist: ipAllowlist.join('\n') || undefined,
});

/** Mints a key, or changes what one may. */
export function EditKey({ of, onMinted, onDone, onClose }: EditKeyProps) {
  const offered = allScopes.filter((scope) => current.value?.scopes.includes(scope) || of?.scopes.includes(scope));
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(of?.scopes));
  const save = async ({ name = '', expiresAt, ipAllowlist }: Values, { only, header }: Edit) => {
    const body = {
      name,
      scopes: [...scopes],
      expiresAt: instant(expiresAt, of?.expiresAt),
      ipAllowlist: ipAllowlist?.split(/[\s,]+/).filter(Boolean) ?? [],
    };
    if (of) {
      const changes = only(body);
      if (Object.keys(changes).length > 0)
        await api.patch('/v1/keys/{id}', { params: { path: { id: of.id }, header }, body: changes });
    } else {
      const { key } = await api.post('/v1/keys', { body });
      if (key !== null) onMinted(key);
    }
    onDone();
    onClose();
  };
  const pick = (chosen: readonly Scope[]) => () => setScopes(new Set(chosen));
  return (
    <Dialog title={of ? t.common.editName(of.name) : t.developers.newKey} onClose={onClose} isWide>
      <Form
        submit={of ? t.common.save : t.developers.createKey}
        of={of && { path: `/v1/keys/${of.id}`, valuesOf }}
        onSubmit={save}
        onCancel={onClose}
      >
        <input type="hidden" name="scopes" defaultValue={listed(scopes)} />
        <Field
          label={t.common.name}
          name="name"
          value={of?.name}
          required
          maxLength={100}
          placeholder={t.developers.whatItIsFor}
        />
        <div class="stack">
          <Checks
            legend={t.developers.scopesChosen(count(scopes.size))}
            hint={t.developers.giveItNoMoreThan}
            isLong
            options={offered.map((scope) => ({
              value: scope,
              text: (
                <>
                  <code>{scope}</code> {isPowerful(scope) && <Badge tone="warn">{t.developers.powerful}</Badge>}
                  <span class="hint below">{textOf(scope)}</span>
                </>
              ),
            }))}
            chosen={scopes}
            onChange={setScopes}
          />
          <div class="actions">
            <button type="button" class="small" onClick={pick(offered.filter((scope) => scope.endsWith(':read')))}>
              {t.developers.readingOnly}
            </button>
            <button type="button" class="small" onClick={pick(offered.filter((scope) => !isPowerful(scope)))}>
              {t.developers.allButThePowerful}
            </button>
            <button type="button" class="small" onClick={pick([])}>
              {t.developers.none}
            </button>
          </div>
        </div>
        <div class="two">
          <Field
            label={t.developers.expires}
            name="expiresAt"
            type="datetime-local"
            value={of?.expiresAt && localTime(of.expiresAt)}
            hint={t.developers.emptyNever}
          />
          <Field
            label={t.developers.allowedAddresses}
            name="ipAllowlist"
            rows={2}
            value={of?.ipAllowlist.join('\n')}
            placeholder={t.developers.n20301137Or}
            hint={t.developers.oneALineEmptyAny}
          />
        </div>
      </Form>
    </Dialog>
  );
}

interface RevokeProps {
  of: Key;
  onDone(): void;
  onClose(): void;
}

export function Revoke({ of: { id, name }, onDone, onClose }: RevokeProps) {
  const revoke = async ({ cancelQueued }: Values) => {
    const query = { cancelQueued: cancelQueued === 'on' };
    const { canceledJobs } = await api.delete('/v1/keys/{id}', { params: { path: { id }, query } });
    onDone();
    onClose();
    const canceled = canceledJobs ? t.developers.ofTheMessagesThatWait(count(canceledJobs)) : '';
    await attempt(async () => {}, { said: t.developers.isRevoked(name, canceled) });
  };
  return (
    <Dialog title={t.developers.revoke(name)} onClose={onClose}>
      <Form submit={t.developers.revoke2} isDangerous onSubmit={revoke} onCancel={onClose}>
        <p>{t.developers.callsWithItAreRefused}</p>
        <label class="check">
          <input type="checkbox" name="cancelQueued" />
          <span>{t.developers.cancelTheMessagesTooThat}</span>
        </label>
      </Form>
    </Dialog>
  );
}
