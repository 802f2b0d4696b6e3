import type { ComponentChildren } from 'preact';
import type { ChannelAccount } from '../../app/accounts.ts';
import { channelNames } from '../../app/channels.ts';
import { count, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { filled } from '../../parts/filled.tsx';
import { When } from '../../parts/when.tsx';
import { kindOf } from './shown.ts';

const tones: Record<ChannelAccount['status'], Tone> = {
  active: 'good',
  flood_wait: 'warn',
  disconnected: 'plain',
  banned: 'bad',
};

const inboundWords: Record<ChannelAccount['inbound']['status'], readonly [string, Tone]> = {
  get ok(): readonly [string, Tone] {
    return [t.accounts.receives, 'good'];
  },
  get failing(): readonly [string, Tone] {
    return [t.accounts.doesNotReceive, 'bad'];
  },
  get off(): readonly [string, Tone] {
    return [t.accounts.receivingIsOff, 'plain'];
  },
};

const seconds = (ms: number) => `${count(ms / 1000)} s`;

/** One account: whether it works, how much it has sent, how fast it may. */
export function AccountCard({ account, children }: { account: ChannelAccount; children: ComponentChildren }) {
  const { name, username, phoneMasked, status, floodWaitUntil, dailyLimit, sentToday, queuedCount } = account;
  const { inbound, pacing } = account;
  const [inboundText, inboundTone] = inboundWords[inbound.status];
  const pace = [
    pacing.perMinute !== null && t.accounts.aMinute(count(pacing.perMinute)),
    pacing.gapMs > 0 &&
      (pacing.gapMs < 1000
        ? t.accounts.aSecond(count(Math.round(1000 / pacing.gapMs)))
        : t.accounts.betweenMessages(seconds(pacing.gapMs))),
    t.accounts.toTheSameContact(seconds(pacing.peerGapMs)),
    pacing.newPeersPerDay !== null && t.accounts.newContactsADay(count(pacing.newPeersPerDay)),
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
          {filled(t.accounts.asksToWaitSendingGoes, {
            channelNames: channelNames[account.channel],
            when: <When at={floodWaitUntil} />,
          })}
        </p>
      )}
      {inbound.lastError && <p class="problem">{inbound.lastError}</p>}
      <dl class="facts">
        <div>
          <dt>{t.accounts.sentToday}</dt>
          <dd>
            {filled(t.accounts.of, { sentToday: count(sentToday), dailyLimit: count(dailyLimit) })}
            <progress value={sentToday} max={dailyLimit} aria-label={t.accounts.sentTodayBy(name)} />
          </dd>
        </div>
        <div>
          <dt>{t.accounts.waitingToBeSent}</dt>
          <dd>{count(queuedCount)}</dd>
        </div>
        <div>
          <dt>{t.accounts.lastReceived}</dt>
          <dd>{inbound.lastReceivedAt ? <When at={inbound.lastReceivedAt} /> : '–'}</dd>
        </div>
        <div>
          <dt>{t.accounts.pace}</dt>
          <dd class="hint">{pace.join(', ')}</dd>
        </div>
      </dl>
    </li>
  );
}
