import { useEffect, useState } from 'preact/hooks';
import { api } from '../app/api.ts';
import { place, replacePlace } from '../app/route.ts';
import { begin, ended, isSignedIn } from '../app/session.ts';
import { keep, readKept } from '../app/storage.ts';
import { t } from '../app/texts.ts';
import { useTitle } from '../app/title.ts';
import { Failure } from '../parts/failure.tsx';
import { filled } from '../parts/filled.tsx';
import { Field, Form, type Values } from '../parts/form.tsx';

/** Asks for an address to send a link to; with a link's token, begins the session. */
export function SignIn() {
  const token = /^\/sign-in\/(.+)$/.exec(place.value.path)?.[1];
  useTitle(t.signIn.signIn);
  return (
    <main class="alone">
      <p class="brand">CRM</p>
      {token === undefined ? <AskForLink /> : <UseLink token={token} />}
    </main>
  );
}

function AskForLink() {
  const [sentTo, setSentTo] = useState<string>();
  useEffect(() => {
    if (isSignedIn.value) goOn();
    else if (place.value.path !== '/sign-in') {
      if (ended.value === undefined) keep('return', location.hash);
      replacePlace('/sign-in');
    }
  }, []);
  const ask = async ({ email = '' }: Values) => {
    await api.post('/panel/sign-ins', { body: { email } });
    setSentTo(email);
  };
  if (sentTo !== undefined)
    return (
      <>
        <h1>{t.signIn.lookIntoYourMail}</h1>
        <p>{filled(t.signIn.ifIsAMembersAddress, { strong: <strong>{sentTo}</strong> })}</p>
        <button type="button" onClick={() => setSentTo(undefined)}>
          {t.signIn.useAnotherAddress}
        </button>
      </>
    );
  return (
    <>
      <h1>{t.signIn.signIn}</h1>
      {ended.value !== undefined && <p class="note">{ended.value()}</p>}
      <Form onSubmit={ask} submit={t.signIn.sendMeALink}>
        <Field label={t.common.eMail} name="email" type="email" required autocomplete="email" />
      </Form>
      <p class="hint">{t.signIn.thereIsNoPasswordWe}</p>
    </>
  );
}

function UseLink({ token }: { token: string }) {
  const [error, setError] = useState<unknown>();
  // Whoever is in is asked first: the link may be somebody else's, who wants to be written to in their place.
  const [isAsking, setAsking] = useState(isSignedIn.value);
  useEffect(() => {
    if (!isAsking) signInBy(token).catch(setError);
  }, [token, isAsking]);
  if (isAsking)
    return (
      <>
        <h1>{t.signIn.youAreSignedInAlready}</h1>
        <p>{t.signIn.thisLinkEndsThatIn}</p>
        <p>
          <button type="button" class="primary" onClick={() => setAsking(false)}>
            {t.signIn.signInByTheLink}
          </button>{' '}
          <a class="button" href="#/home">
            {t.signIn.staySignedIn}
          </a>
        </p>
      </>
    );
  if (error === undefined) return <h1>{t.signIn.signingYouIn}</h1>;
  return (
    <>
      <h1>{t.signIn.thisLinkDoesNotWork}</h1>
      <p>{t.signIn.aLinkWorksOnceFor}</p>
      <Failure error={error} />
      <p>
        <a class="button primary" href="#/sign-in">
          {t.signIn.askForANewLink}
        </a>
      </p>
    </>
  );
}

/** The token leaves the address before anything else: nobody shall find it in the history. */
async function signInBy(token: string): Promise<void> {
  const { workspaces } = await api.post('/panel/sessions', { body: { token, cookie: true } });
  begin(workspaces[0]?.id);
  goOn();
}

/** Goes to the page that was open before the sign-in. */
function goOn(): void {
  const [path = '/home', query = ''] = (readKept<string>('return') ?? '').replace(/^#/, '').split('?');
  keep('return', undefined);
  ended.value = undefined;
  replacePlace(path === '' ? '/home' : path, Object.fromEntries(new URLSearchParams(query)));
}
