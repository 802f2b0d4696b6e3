import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { allScopes, isPowerful, textOf } from '../../app/scopes.ts';
import { current, type Scope } from '../../app/session.ts';
import { count } from '../../app/show.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Checks } from '../../parts/checks.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { instant, localTime } from '../../parts/local-time.ts';

type Key = Schema<'Key'>;

interface EditKeyProps {
  /** Undefined for a new one. */
  of?: Key | undefined;
  onMinted(secret: string): void;
  onDone(): void;
  onClose(): void;
}

/** Mints a key, or changes what one may. */
export function EditKey({ of, onMinted, onDone, onClose }: EditKeyProps) {
  const offered = allScopes.filter((scope) => current.value?.scopes.includes(scope) || of?.scopes.includes(scope));
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(of?.scopes));
  const save = async ({ name = '', expiresAt, ipAllowlist }: Values) => {
    const body = {
      name,
      scopes: [...scopes],
      expiresAt: instant(expiresAt),
      ipAllowlist: ipAllowlist?.split(/[\s,]+/).filter(Boolean) ?? [],
    };
    if (of) await api.patch('/v1/keys/{id}', { params: { path: { id: of.id } }, body });
    else {
      const { key } = await api.post('/v1/keys', { body });
      if (key !== null) onMinted(key);
    }
    onDone();
    onClose();
  };
  const pick = (chosen: readonly Scope[]) => () => setScopes(new Set(chosen));
  return (
    <Dialog title={of ? `Edit ${of.name}` : 'New key'} onClose={onClose} isWide>
      <Form submit={of ? 'Save' : 'Create key'} onSubmit={save} onCancel={onClose}>
        <Field label="Name" name="name" value={of?.name} required maxLength={100} placeholder="What it is for" />
        <div class="stack">
          <Checks
            legend={`Scopes (${count(scopes.size)} chosen)`}
            hint="Give it no more than it needs. The powerful ones can do harm that is hard to mend."
            isLong
            options={offered.map((scope) => ({
              value: scope,
              text: (
                <>
                  <code>{scope}</code> {isPowerful(scope) && <Badge tone="warn">Powerful</Badge>}
                  <span class="hint below">{textOf(scope)}</span>
                </>
              ),
            }))}
            chosen={scopes}
            onChange={setScopes}
          />
          <div class="actions">
            <button type="button" class="small" onClick={pick(offered.filter((scope) => scope.endsWith(':read')))}>
              Reading only
            </button>
            <button type="button" class="small" onClick={pick(offered.filter((scope) => !isPowerful(scope)))}>
              All but the powerful
            </button>
            <button type="button" class="small" onClick={pick([])}>
              None
            </button>
          </div>
        </div>
        <div class="two">
          <Field
            label="Expires"
            name="expiresAt"
            type="datetime-local"
            value={of?.expiresAt && localTime(of.expiresAt)}
            hint="Empty: never"
          />
          <Field
            label="Allowed addresses"
            name="ipAllowlist"
            rows={2}
            value={of?.ipAllowlist.join('\n')}
            placeholder="203.0.113.7 or 10.0.0.0/8"
            hint="One a line; empty: any"
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
    const canceled = canceledJobs ? ` Of the messages that wait, ${count(canceledJobs)} are canceled.` : '';
    await attempt(async () => {}, { said: `“${name}” is revoked.${canceled}` });
  };
  return (
    <Dialog title={`Revoke ${name}?`} onClose={onClose}>
      <Form submit="Revoke" isDangerous onSubmit={revoke} onCancel={onClose}>
        <p>Calls with it are refused from now on. This cannot be undone.</p>
        <label class="check">
          <input type="checkbox" name="cancelQueued" />
          <span>Cancel the messages too that it has asked to send and that still wait</span>
        </label>
      </Form>
    </Dialog>
  );
}
