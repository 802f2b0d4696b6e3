import { messaging } from '../../api/lists.ts';
import type { ChannelAccount } from '../../app/accounts.ts';
import { t } from '../../app/texts.ts';

export interface DialogProps {
  onDone(): void;
  onClose(): void;
}

/** What an account is: at whom, and a bot or a person where there are both. */
export function kindOf({ channel, kind }: ChannelAccount): string {
  const { title, inbound } = messaging[channel];
  return Object.keys(inbound).length > 1 ? `${title} ${t.accounts.kinds[kind]}` : title;
}
