import type { Schema } from '../../../../client/index.ts';

export type ChannelAccount = Schema<'Account'> & { channel: 'telegram' | 'twitter' };

export interface DialogProps {
  onDone(): void;
  onClose(): void;
}

/** What an account is: a bot or a person, at whom. */
export const kindOf = ({ channel, kind }: ChannelAccount): string =>
  channel === 'twitter' ? 'X' : kind === 'bot' ? 'Telegram bot' : 'Telegram user';
