import { useEffect, useState } from 'preact/hooks';
import { api } from '../app/api.ts';
import { place, replacePlace } from '../app/route.ts';
import { begin, ended, secret } from '../app/session.ts';
import { keep, readKept } from '../app/storage.ts';
import { Failure } from '../parts/failure.tsx';
import { Field, Form, type Values } from '../parts/form.tsx';

/** Asks for an address to send a link to; with a link's token, begins the session. */
export function SignIn() {
  const token = /^\/sign-in\/(.+)$/.exec(place.value.path)?.[1];
  useEffect(() => {
    document.title = 'Sign in · CRM';
  }, []);
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
    if (secret.value !== undefined) replacePlace('/home');
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
        <h1>Look into your mail</h1>
        <p>
          If <strong>{sentTo}</strong> is a member's address, a link is on its way. It works once, for 15 minutes.
        </p>
        <button type="button" onClick={() => setSentTo(undefined)}>
          Use another address
        </button>
      </>
    );
  return (
    <>
      <h1>Sign in</h1>
      {ended.value !== undefined && <p class="note">{ended.value}</p>}
      <Form onSubmit={ask} submit="Send me a link">
        <Field label="E-mail" name="email" type="email" required autocomplete="email" />
      </Form>
      <p class="hint">There is no password: we mail you a link that signs you in.</p>
    </>
  );
}

function UseLink({ token }: { token: string }) {
  const [error, setError] = useState<unknown>();
  // Whoever is in is asked first: the link may be somebody else's, who wants to be written to in their place.
  const [isAsking, setAsking] = useState(secret.value !== undefined);
  useEffect(() => {
    if (!isAsking) signInBy(token).catch(setError);
  }, [token, isAsking]);
  if (isAsking)
    return (
      <>
        <h1>You are signed in already</h1>
        <p>
          This link ends that in this tab. Go on only if you have asked for the link yourself, or expect an invitation.
        </p>
        <p>
          <button type="button" class="primary" onClick={() => setAsking(false)}>
            Sign in by the link
          </button>{' '}
          <a class="button" href="#/home">
            Stay signed in
          </a>
        </p>
      </>
    );
  if (error === undefined) return <h1>Signing you in …</h1>;
  return (
    <>
      <h1>This link does not work</h1>
      <p>A link works once, for 15 minutes. Ask for a new one.</p>
      <Failure error={error} />
      <p>
        <a class="button primary" href="#/sign-in">
          Ask for a new link
        </a>
      </p>
    </>
  );
}

/** The token leaves the address before anything else: nobody shall find it in the history. */
async function signInBy(token: string): Promise<void> {
  const { session, workspaces } = await api.post('/panel/sessions', { body: { token } });
  const [path = '/home', query = ''] = (readKept<string>('return') ?? '').replace(/^#/, '').split('?');
  keep('return', undefined);
  ended.value = undefined;
  begin(session, workspaces[0]?.id);
  replacePlace(path === '' ? '/home' : path, Object.fromEntries(new URLSearchParams(query)));
}
