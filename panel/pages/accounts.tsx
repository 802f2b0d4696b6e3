import { useState } from 'preact/hooks';
import { messaging } from '../api/lists.ts';
import { type ChannelAccount, loadAccounts } from '../app/accounts.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { may } from '../app/session.ts';
import { Empty } from '../parts/empty.tsx';
import { Head } from '../parts/head.tsx';
import { Menu } from '../parts/menu.tsx';
import { Pending } from '../parts/pending.tsx';
import { AccountCard } from './accounts/card.tsx';
import { ConnectBot, ConnectX, RenewBot } from './accounts/connect.tsx';
import { Disconnect, EditAccount } from './accounts/edit.tsx';
import { LogIn } from './accounts/log-in.tsx';

type Open = 'bot' | 'user' | 'x' | { of: 'edit' | 'disconnect' | 'renew'; account: ChannelAccount };

export default function Accounts() {
  const accounts = useLoaded(loadAccounts, [], touching('account', 'job', 'message'));
  const [open, setOpen] = useState<Open>();
  const { data, error, reload } = accounts;
  const close = () => setOpen(undefined);
  const dialog = { onDone: reload, onClose: close };
  const mayManage = may('accounts:manage');
  return (
    <>
      <Head title="Accounts">
        {mayManage && (
          <>
            <button type="button" onClick={() => setOpen('x')}>
              Connect X
            </button>
            <button type="button" onClick={() => setOpen('user')}>
              Log in a Telegram user
            </button>
            <button type="button" class="primary" data-new onClick={() => setOpen('bot')}>
              Connect a bot
            </button>
          </>
        )}
      </Head>
      <Pending data={data} error={error} reload={reload} lines={8} />
      {data?.length === 0 && (
        <Empty title="Nothing is connected yet">
          <p>
            {mayManage
              ? 'Connect a Telegram bot, your own Telegram or an X account: messages to it come in here, and answers go out.'
              : 'An owner or admin can connect Telegram and X accounts here.'}
          </p>
        </Empty>
      )}
      <ul class="plain">
        {data?.map((account) => (
          <AccountCard key={`${account.channel} ${account.id}`} account={account}>
            {mayManage && (
              <Menu
                text="Actions"
                label={`Actions for ${account.name}`}
                items={[
                  ...(messaging[account.channel].isChanged
                    ? [{ text: 'Edit', choose: () => setOpen({ of: 'edit', account }) }]
                    : []),
                  ...(account.channel === 'telegram' && account.kind === 'bot'
                    ? [{ text: 'Enter a new token', choose: () => setOpen({ of: 'renew', account }) }]
                    : []),
                  ...(account.status === 'disconnected' || !messaging[account.channel].isDisconnected
                    ? []
                    : [
                        {
                          text: 'Disconnect',
                          isDangerous: true,
                          choose: () => setOpen({ of: 'disconnect', account }),
                        },
                      ]),
                ]}
              />
            )}
          </AccountCard>
        ))}
      </ul>
      {open === 'bot' && <ConnectBot {...dialog} />}
      {open === 'x' && <ConnectX {...dialog} />}
      {open === 'user' && <LogIn {...dialog} />}
      {typeof open === 'object' && open.of === 'edit' && <EditAccount account={open.account} {...dialog} />}
      {typeof open === 'object' && open.of === 'renew' && <RenewBot account={open.account} {...dialog} />}
      {typeof open === 'object' && open.of === 'disconnect' && <Disconnect account={open.account} {...dialog} />}
    </>
  );
}
