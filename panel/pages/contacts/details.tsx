import type { ComponentChildren } from 'preact';
import type { Schema } from '../../../client/index.ts';
import { channelNames } from '../../app/channels.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { When } from '../../parts/when.tsx';

/** What is known of a contact; what is not known is left out. */
export function Details({ of }: { of: Schema<'ContactWithTags'> }) {
  const { platform, username, email, phone, company, leadScore, leadScoreIsAi, createdAt, lastMessageAt, notes } = of;
  const rows: readonly [string, ComponentChildren][] = [
    [t.common.eMail, email && <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>],
    [t.common.phone, phone],
    [channelNames[platform], username && `@${username}`],
    [t.contacts.company, company],
    [
      t.contacts.leadScore,
      leadScore !== null && t.contacts.of100(count(leadScore), leadScoreIsAi ? t.contacts.byAnAgent : ''),
    ],
    [t.contacts.lastMessage, lastMessageAt && <When at={lastMessageAt} />],
    [t.contacts.knownSince, <When key="since" at={createdAt} />],
  ];
  return (
    <section class="card" aria-label={t.contacts.details}>
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
