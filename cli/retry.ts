import { setTimeout as wait } from 'node:timers/promises';

type Fetch = (request: Request) => Promise<Response>;

const pauseMs = 1000;

/** `fetch` that goes on until somebody answers; `note` is told when nobody does, and when that is over. */
export function retrying(fetch: Fetch, note: (text: string) => void): Fetch {
  let isAway = false;
  const tell = (away: boolean, text: string) => {
    if (away !== isAway) note(text);
    isAway = away;
  };
  return async (request) => {
    for (;;) {
      try {
        const response = await fetch(request.clone());
        // The client tries such calls again.
        if (response.status >= 500) tell(true, `the API answers ${response.status}; trying again`);
        else tell(false, 'the API is back');
        return response;
      } catch (error) {
        request.signal.throwIfAborted();
        tell(true, `${(error as Error).message}; trying again`);
        await wait(pauseMs, undefined, { signal: request.signal });
      }
    }
  };
}
