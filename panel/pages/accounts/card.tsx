import type { ComponentChildren } from 'preact';
import type { ChannelAccount } from '../../app/accounts.ts';
import { channelNames } from '../../app/channels.ts';
import { count, worded } from '../../app/show.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { When } from '../../parts/when.tsx';
import { kindOf } from './shown.ts';

const tones: Record<ChannelAccount['status'], Tone> = {
  active: 'good',
  flood_wait: 'warn',
  disconnected: 'plain',
  banned: 'bad',
};

const inboundWords: Record<ChannelAccount['inbound']['status'], readonly [string, Tone]> = {
  ok: ['Receives', 'good'],
  failing: ['Does not receive', 'bad'],
  off: ['Receiving is off', 'plain'],
};

const seconds = (ms: number) => `${count(ms / 1000)} s`;

/** One account: whether it works, how much it has sent, how fast it may. */
export function AccountCard({ account, children }: { account: ChannelAccount; children: ComponentChildren }) {
  const { name, username, phoneMasked, status, floodWaitUntil, dailyLimit, sentToday, queuedCount } = account;
  const { inbound, pacing } = account;
  const [inboundText, inboundTone] = inboundWords[inbound.status];
  const pace = [
    pacing.perMinute !== null && `${count(pacing.perMinute)} a minute`,
    `${seconds(pacing.gapMs)} between messages`,
    `${seconds(pacing.peerGapMs)} to the same contact`,
    pacing.newPeersPerDay !== null && `${count(pacing.newPeersPerDay)} new contacts a day`,
  ].filter(Boolean);
  return (
    <li class="card">
      <div class="row">
        <div>
          <h2>{name}</h2>
          <p class="hint belongs">
            <span>{kindOf(account)}</span>
            {username && <span>@{username}</span>}
            {phoneMasked && <span>{phoneMasked}</span>}
          </p>
        </div>
        <div class="actions">
          <Badge tone={tones[status]}>{worded(status)}</Badge>
          {status !== 'disconnected' && <Badge tone={inboundTone}>{inboundText}</Badge>}
          {children}
        </div>
      </div>
      {floodWaitUntil && status === 'flood_wait' && (
        <p class="note">
          {channelNames[account.channel]} asks to wait; sending goes on <When at={floodWaitUntil} />.
        </p>
      )}
      {inbound.lastError && <p class="problem">{inbound.lastError}</p>}
      <dl class="facts">
        <div>
          <dt>Sent today</dt>
          <dd>
            {count(sentToday)} of {count(dailyLimit)}
            <progress value={sentToday} max={dailyLimit} aria-label={`Sent today by ${name}`} />
          </dd>
        </div>
        <div>
          <dt>Waiting to be sent</dt>
          <dd>{count(queuedCount)}</dd>
        </div>
        <div>
          <dt>Last received</dt>
          <dd>{inbound.lastReceivedAt ? <When at={inbound.lastReceivedAt} /> : '–'}</dd>
        </div>
        <div>
          <dt>Pace</dt>
          <dd class="hint">{pace.join(', ')}</dd>
        </div>
      </dl>
    </li>
  );
}
