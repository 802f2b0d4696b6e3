import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { language, languageNames, showAs } from '../../app/locale.ts';
import { current } from '../../app/session.ts';
import { clockTime, count, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, say } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { instant } from '../../parts/local-time.ts';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { browserOf } from './browser.ts';

const forms = ['language', 'dmy', 'mdy', 'iso'] as const;
const formNames = () => ({
  language: t.settings.asTheLanguage,
  dmy: '31/12/2026',
  mdy: '12/31/2026',
  iso: '2026-12-31',
});
const themes = () =>
  [
    ['system', t.settings.themeSystem],
    ['light', t.settings.themeLight],
    ['dark', t.settings.themeDark],
  ] as const;

/** The member who is signed in: how the panel looks to them, and where they are signed in. */
export const You = () => (
  <>
    <Profile />
    <Sessions />
  </>
);

const defaultMailHour = 8;
/** The hours of a day as the member's language writes them. */
const hours = () =>
  Array.from({ length: 24 }, (_, hour) => {
    const at = instant(`2026-01-01T${String(hour).padStart(2, '0')}:00`) as string;
    return [hour, clockTime(at)] as const;
  });

const browserZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Asks the browser whether notifications may be shown. Raises where it says no. */
async function askForNotifications(): Promise<void> {
  const isGranted = 'Notification' in globalThis && (await Notification.requestPermission()) === 'granted';
  if (!isGranted) throw new Error(t.settings.notificationsAreBlocked);
}

function Profile() {
  const profile = useLoaded((signal) => api.get('/panel/me', { signal }), []);
  const { data, error, reload } = profile;
  if (!data) return <Pending data={data} error={error} reload={reload} lines={8} />;
  const { mailHour = null } = data.notifications;
  const save = async ({ name, dateForm, theme, notifies, mails, ...values }: Values) => {
    if (notifies === 'on') await askForNotifications();
    // The server does not know those of the browser.
    const own = mails === 'on' ? { timeZone: browserZone(), language: language.value } : undefined;
    const changed = await api.patch('/panel/me', {
      body: {
        name: name ?? null,
        timeZone: values['timeZone'] ?? own?.timeZone ?? null,
        dateForm: dateForm as (typeof data)['dateForm'],
        language: values['language'] ?? own?.language ?? null,
        theme: theme as (typeof data)['theme'],
        notifications: { browser: notifies === 'on', mailHour: own ? Number(values['mailHour']) : null },
      },
    });
    profile.change(() => changed);
    showAs(changed);
    if (current.value) {
      const { member } = current.value;
      current.value = { ...current.value, member: { ...member, name: changed.name } };
    }
    say(t.parts.saved);
  };
  return (
    <div class="card narrow">
      <dl class="facts">
        <div>
          <dt>{t.common.eMail}</dt>
          <dd>{data.email}</dd>
        </div>
        <div>
          <dt>{t.settings.role}</dt>
          <dd>{worded(data.role)}</dd>
        </div>
      </dl>
      <Form submit={t.common.save} onSubmit={save}>
        <Field label={t.common.name} name="name" value={data.name} maxLength={200} autocomplete="name" />
        <div class="two">
          <Field
            label={t.settings.language}
            name="language"
            value={data.language}
            options={[['', t.settings.asTheBrowser(navigator.language)], ...Object.entries(languageNames)]}
          />
          <Field
            label={t.settings.timeZone}
            name="timeZone"
            value={data.timeZone}
            options={[
              ['', t.settings.asTheBrowser(browserZone())],
              ...Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
            ]}
          />
          <Field
            label={t.settings.dateForm}
            name="dateForm"
            value={data.dateForm}
            options={forms.map((form) => [form, formNames()[form]])}
          />
          <Field label={t.settings.theme} name="theme" value={data.theme} options={themes()} />
        </div>
        <fieldset>
          <legend class="label">{t.settings.notifications}</legend>
          <label class="check">
            <input type="checkbox" name="notifies" defaultChecked={data.notifications.browser} />
            {t.settings.notifyInBrowser}
          </label>
          <label class="check">
            <input type="checkbox" name="mails" defaultChecked={mailHour !== null} aria-describedby="mail-hint" />
            {t.settings.mailWhatWaits}
          </label>
          <p id="mail-hint" class="hint">
            {t.settings.mailHasNoTexts}
          </p>
          <Field label={t.settings.mailAt} name="mailHour" value={mailHour ?? defaultMailHour} options={hours()} />
        </fieldset>
      </Form>
    </div>
  );
}

/** Returns what a session is called: its browser and system, as far as it says them. */
function deviceOf(userAgent: string | null): string {
  const { browser, system } = browserOf(userAgent ?? '');
  if (browser && system) return t.settings.browserOn(browser, system);
  return browser ?? system ?? t.settings.aDeviceWithoutAName;
}

function Sessions() {
  const sessions = useLoaded((signal) => api.get('/panel/sessions', { signal }), []);
  const [isBusy, setBusy] = useState(false);
  const { data, error, reload } = sessions;
  const end = async (work: () => Promise<unknown>, said: string) => {
    setBusy(true);
    if (await attempt(work, { said })) reload();
    setBusy(false);
  };
  const others = data?.items.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <section class="card narrow" aria-labelledby="sessions">
      <div class="row">
        <h2 id="sessions">{t.settings.yourSessions}</h2>
        {others.length > 1 && (
          <button
            type="button"
            class="small"
            disabled={isBusy}
            onClick={() => end(() => api.delete('/panel/sessions'), t.settings.othersAreEnded(count(others.length)))}
          >
            {t.settings.endTheOthers}
          </button>
        )}
      </div>
      <Pending data={data} error={error} reload={reload} lines={3} />
      <ul class="plain sessions">
        {data?.items.map(({ id, isCurrent, userAgent, ip, lastUsedAt }) => (
          <li key={id} class="row">
            <div>
              <p>
                <span title={userAgent ?? undefined}>{deviceOf(userAgent)}</span>{' '}
                {isCurrent && <Badge tone="good">{t.settings.thisSession}</Badge>}
              </p>
              <p class="hint">
                {ip} · {t.settings.lastUsed} <When at={lastUsedAt} />
              </p>
            </div>
            {!isCurrent && (
              <button
                type="button"
                class="small"
                disabled={isBusy}
                onClick={() =>
                  end(() => api.delete('/panel/sessions/{id}', { params: { path: { id } } }), t.settings.sessionIsEnded)
                }
              >
                {t.settings.endIt}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
