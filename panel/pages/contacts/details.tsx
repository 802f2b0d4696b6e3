import type { ComponentChildren } from 'preact';
import type { Schema } from '../../../client/index.ts';
import { channelNames } from '../../app/channels.ts';
import { count } from '../../app/show.ts';
import { When } from '../../parts/when.tsx';

/** What is known of a contact; what is not known is left out. */
export function Details({ of }: { of: Schema<'ContactWithTags'> }) {
  const { platform, username, email, phone, company, leadScore, leadScoreIsAi, createdAt, lastMessageAt, notes } = of;
  const rows: readonly [string, ComponentChildren][] = [
    ['E-mail', email && <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>],
    ['Phone', phone],
    [channelNames[platform], username && `@${username}`],
    ['Company', company],
    ['Lead score', leadScore !== null && `${count(leadScore)} of 100${leadScoreIsAi ? ', by an agent' : ''}`],
    ['Last message', lastMessageAt && <When at={lastMessageAt} />],
    ['Known since', <When key="since" at={createdAt} />],
  ];
  return (
    <section class="card" aria-label="Details">
      <dl class="details">
        {rows.map(
          ([title, value]) =>
            value && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {notes && <p class="text about">{notes}</p>}
    </section>
  );
}
