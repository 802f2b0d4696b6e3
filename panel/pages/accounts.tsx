import { useState } from 'preact/hooks';
import { messaging } from '../api/lists.ts';
import { type ChannelAccount, loadAccounts } from '../app/accounts.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { may } from '../app/session.ts';
import { t } from '../app/texts.ts';
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
      <Head title={t.common.accounts}>
        {mayManage && (
          <>
            <button type="button" onClick={() => setOpen('x')}>
              {t.accounts.connectX}
            </button>
            <button type="button" onClick={() => setOpen('user')}>
              {t.accounts.logInATelegramUser}
            </button>
            <button type="button" class="primary" data-new onClick={() => setOpen('bot')}>
              {t.accounts.connectABot}
            </button>
          </>
        )}
      </Head>
      <Pending data={data} error={error} reload={reload} lines={8} />
      {data?.length === 0 && (
        <Empty title={t.accounts.nothingIsConnectedYet}>
          <p>{mayManage ? t.accounts.connectATelegramBotYour : t.accounts.anOwnerOrAdminCan}</p>
        </Empty>
      )}
      <ul class="plain">
        {data?.map((account) => (
          <AccountCard key={`${account.channel} ${account.id}`} account={account}>
            {mayManage && (
              <Menu
                text={t.common.actions}
                label={t.common.actionsFor(account.name)}
                items={[
                  ...(messaging[account.channel].isChanged
                    ? [{ text: t.common.edit, choose: () => setOpen({ of: 'edit', account }) }]
                    : []),
                  ...(account.channel === 'telegram' && account.kind === 'bot'
                    ? [{ text: t.accounts.enterANewToken, choose: () => setOpen({ of: 'renew', account }) }]
                    : []),
                  ...(account.status === 'disconnected' || !messaging[account.channel].isDisconnected
                    ? []
                    : [
                        {
                          text: t.accounts.disconnect,
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
