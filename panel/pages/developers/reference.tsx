import { useEffect } from 'preact/hooks';
import { sendAsSession } from '../../app/api.ts';
import { place } from '../../app/route.ts';
import { environment } from '../../app/session.ts';
import { Calling } from '../../reference/caller.ts';
import { base } from '../../reference/links.ts';
import { SearchBox } from '../../reference/search-box.tsx';
import { ReferenceView } from '../../reference/view.tsx';

const here = '/developers/reference';
base.value = here;

/** The reference, whose calls are the session's. */
export default function Reference() {
  const path = place.value.path.slice(here.length);
  useEffect(() => {
    scrollTo(0, 0);
  }, [path]);
  return (
    <Calling.Provider value={{ environment: environment.value, send: sendAsSession }}>
      <SearchBox />
      <ReferenceView path={path === '' ? '/home' : path} />
    </Calling.Provider>
  );
}
