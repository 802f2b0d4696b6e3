import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { place } from '#test/place.ts';
import type { Reaction } from '#test/telegram/double.ts';
import type { XCommand, XPerson, XWritten } from '#test/twitter/x-double.ts';

/** What X has of an account. */
interface Seen {
  x: { me: Required<XPerson>; calls: Record<string, number>; revoked: string[]; renewals: number };
  stored: { to: string; text: string; at: number }[];
  requests: number;
  posted: { written: string[] };
}

/** An account at the double of X; `app`: what lets our app renew its access token. */
export function newPerson(token: string = randomUUID()) {
  const url = `${place('providerUrl')}/double/${token}`;
  const command = async (given: { x?: XCommand; reactions?: Reaction[] }): Promise<Seen> => {
    const { body } = await request(url, { method: 'POST', body: JSON.stringify(given) });
    return (await body.json()) as Seen;
  };
  const app = { refreshToken: randomUUID(), clientId: randomUUID(), clientSecret: randomUUID() };
  return {
    token,
    app,
    seen: () => command({}),
    react: (...reactions: Reaction[]) => command({ reactions }),
    has: (x: XCommand) => command({ x }),
    /** Has let our app in. */
    async letIn<App extends NonNullable<XCommand['oauth']>>(oauth: App): Promise<App> {
      await command({ x: { oauth } });
      return oauth;
    },
    /** Returns the ids of the messages. */
    write: async (...write: XWritten[]) => (await command({ x: { write } })).posted.written,
  };
}

export type Person = ReturnType<typeof newPerson>;
