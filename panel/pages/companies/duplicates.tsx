import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import type { Company } from '../../app/companies.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { UserText } from '../../parts/user-text.tsx';
import { Merge, type MergeProps } from './merge.tsx';

/** Companies that seem to be the same one; nothing where there are none. */
export function Duplicates(props: MergeProps) {
  const { of, onMerged } = props;
  const found = useLoaded(
    (signal) =>
      api.get('/v1/companies/{id}/duplicates', {
        signal,
        params: { path: { id: of.id }, query: { limit: 5, include: 'fields' } },
      }),
    [of.id, of.name, of.domains.join()],
  );
  const [chosen, choose] = useState<Company>();
  const items = found.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section class="card" aria-labelledby="duplicates">
      <h2 id="duplicates">{t.companies.theSameCompany}</h2>
      <ul class="work">
        {items.map((other) => (
          <li key={other.id}>
            <a href={linkTo(`/companies/${other.id}`)}>
              <UserText text={other.name} />
            </a>
            {may('companies:write') && (
              <button type="button" class="small" onClick={() => choose(other)}>
                {t.contacts.merge}
              </button>
            )}
          </li>
        ))}
      </ul>
      {chosen && (
        <Merge
          {...props}
          other={chosen}
          onClose={() => choose(undefined)}
          onMerged={() => {
            found.reload();
            onMerged();
          }}
        />
      )}
    </section>
  );
}
