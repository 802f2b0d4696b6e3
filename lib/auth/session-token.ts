import { createHash } from 'node:crypto';
import { randomText } from '#lib/core/random.ts';

/** Letters and digits of which so many are 256 random bits. */
const secretLength = 43;

export const sessionForm = /^cps_[A-Za-z0-9]{43}$/;
export const signInForm = /^[A-Za-z0-9]{43}$/;

export const newSignInToken = () => randomText(secretLength);
export const newSessionToken = () => `cps_${randomText(secretLength)}`;

/** As a token stands in the table. It has too many bits for anybody to try them. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
