/**
 * How the accounts of persons are asked for what came in, by their channel; each is loaded by who needs it. Made of the files
 * `<channel>-user.ts` by `npm run entities`.
 */
export const asks = {
  telegram: async () => (await import('./telegram-user.ts')).askTelegram,
  twitter: async () => (await import('./twitter-user.ts')).askTwitter,
};
