/**
 * Pollers of the accounts of persons, by channel; a function loads the one that it needs. Made of the files
 * `<channel>-user.ts` by `npm run entities`.
 */
export const userPollers = {
  telegram: async () => (await import('./telegram-user.ts')).pollTelegram,
  twitter: async () => (await import('./twitter-user.ts')).pollTwitter,
};
