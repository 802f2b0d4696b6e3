import { descriptors } from './channels.ts';

export type Descriptors = (typeof descriptors)[keyof typeof descriptors];

export const messaging: { readonly [One in Descriptors as One['name']]: One } = descriptors;

/** A messaging channel by its name: where a contact is a person, and what an account belongs to. */
export type Platform = keyof typeof messaging;
export const platforms = Object.values(messaging).map(({ name }) => name);

export const channels = [...platforms, 'email'] as const;
export type Channel = (typeof channels)[number];
