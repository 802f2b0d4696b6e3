import { useAfterFirst } from '../../app/after-first.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { may, type Scope } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { Icon } from '../../parts/icon.tsx';

interface Step {
  title: string;
  why: string;
  link: string;
  /** Who lacks one of them is not asked to do it. */
  scopes: readonly Scope[];
  isDone(signal: AbortSignal): Promise<boolean>;
}

const one = { limit: 1 } as const;

const steps: readonly Step[] = [
  {
    get title() {
      return t.common.connectAnAccount;
    },
    get why() {
      return t.home.aTelegramBotOrUser;
    },
    link: '#/accounts',
    scopes: ['accounts:manage', 'telegram:read'],
    isDone: async (signal) => {
      const lists = await Promise.all([
        api.get('/v1/telegram/accounts', { signal, params: { query: one } }),
        api.get('/v1/twitter/accounts', { signal, params: { query: one } }),
      ]);
      return lists.some(({ items }) => items.length > 0);
    },
  },
  {
    get title() {
      return t.home.makeAnApiKey;
    },
    get why() {
      return t.home.forYourOwnProgramsThe;
    },
    link: '#/developers/keys',
    scopes: ['keys:manage'],
    isDone: async (signal) => {
      const query = { ...one, isRevoked: false };
      return (await api.get('/v1/keys', { signal, params: { query } })).items.length > 0;
    },
  },
  {
    get title() {
      return t.home.registerAWebhook;
    },
    get why() {
      return t.home.yourServerHearsOfEvery;
    },
    link: '#/developers/webhooks',
    scopes: ['webhooks:write', 'webhooks:read'],
    isDone: async (signal) => (await api.get('/v1/webhooks', { signal, params: { query: one } })).items.length > 0,
  },
  {
    get title() {
      return t.common.inviteAMember;
    },
    get why() {
      return t.home.shareContactsConversationsAndDeals;
    },
    link: '#/settings',
    scopes: ['keys:manage'],
    isDone: async (signal) =>
      (await api.get('/v1/members', { signal, params: { query: { limit: 2, isActive: true } } })).items.length > 1,
  },
];

interface Left {
  steps: readonly Step[];
}

/** What is left to do until the workspace can be worked with. */
export function useStepsLeft(): Left {
  const isTime = useAfterFirst();
  const { data } = useLoaded(
    async (signal) => {
      if (!isTime) return [];
      const mine = steps.filter(({ scopes }) => scopes.every(may));
      const done = await Promise.all(mine.map((step) => step.isDone(signal)));
      return mine.filter((_, at) => !done[at]);
    },
    [isTime],
    touching('account', 'key'),
  );
  return { steps: data ?? [] };
}

export function SetUp({ steps: left }: { steps: readonly Step[] }) {
  if (left.length === 0) return null;
  return (
    <section class="card" aria-labelledby="set-up">
      <h2 id="set-up">{t.home.setUpYourWorkspace}</h2>
      <ul class="steps">
        {left.map(({ title, why, link }) => (
          <li key={title}>
            <a href={link}>
              <Icon name="next" />
              {title}
            </a>
            <span class="hint">{why}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
