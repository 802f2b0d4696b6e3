import type * as v from 'valibot';
import type { InboundMode } from './choices.ts';

/** How fast an account may send. */
export interface PacePolicy {
  /** Between two messages to one recipient. */
  peerGapMs: number;
  /** Between two messages to anyone. */
  gapMs: number;
  perMinute?: number;
  per15Minutes?: number;
}

/** Default limits of an account of a kind, unless the operator sets others. */
export interface Allowance {
  dailyLimit: number;
  pacing: PacePolicy;
  /** To how many people it may write for the first time on a day. */
  newPeersPerDay?: number;
  /** How it can hear what people write to it. */
  inbound: readonly InboundMode[];
  /** It sends files, with so much text besides. */
  maxCaptionCharacters?: number;
}

/** A channel through which accounts write to people. How it sends is up to the opener in its folder, which its worker alone loads. */
export interface Descriptor {
  /** Name of the channel, of its queue and of its contacts' platform; in paths, scopes and reasons of errors. */
  name: string;
  /** As people call it. */
  title: string;
  /** Identifiers of a person on the channel. */
  identity: {
    /** In requests and in the targets of jobs. */
    field: string;
    /** As a row holds it: whatever has ever been taken for one. */
    stored: v.GenericSchema<string | number>;
    /** As the channel names a sender. */
    received: v.GenericSchema<unknown, string | number>;
    /** As a caller names a recipient. */
    stated: v.GenericSchema<unknown, string | number | null>;
  };
  /** Whether a contact's username names the person there. */
  hasUsernames: boolean;
  maxTextCharacters: number;
  kinds: { [Kind in AccountKind]?: Allowance };
}

/** A bot, or the account of a person. */
export const accountKinds = ['bot', 'user'] as const;
type AccountKind = (typeof accountKinds)[number];
