import { telegram } from './telegram-channel.ts';
import { twitter } from './twitter-channel.ts';

/** Every channel through which accounts write to people, by its folder, in the order in which documents name them. Made by `npm run entities`. */
export const descriptors = { telegram, twitter };
