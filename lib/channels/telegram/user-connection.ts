import { Long, type tl } from '@mtcute/core';
import type { UpdatesState } from '#lib/entities/inbound.ts';
import { type Addressee, type App, connect, type Session } from './connection.ts';
import type { Rich } from './user-rich.ts';
import { transferOver, type UserTransfer } from './user-transfer.ts';

/** Updates since a state, in order; `too-long` if there are more than Telegram reports. */
export type Difference =
  | { kind: 'too-long' }
  | {
      kind: 'told';
      messages: tl.TypeMessage[];
      updates: tl.TypeUpdate[];
      users: tl.TypeUser[];
      state: UpdatesState;
      isMore: boolean;
    };

/** Each call raises RefusedCall. */
export interface UserConnection extends UserTransfer {
  /** Returns what Telegram calls the message, where it says so. */
  sendText(peer: Addressee, text: Rich, randomId: Long): Promise<number | undefined>;
  /** Returns Telegram’s id of the last message that the account has sent to a peer and that `isIt` accepts. */
  lastSent(peer: Addressee, isIt: (message: tl.RawMessage) => boolean): Promise<number | undefined>;
  /** Undefined when the name is not a person's. */
  resolve(username: string): Promise<Addressee | undefined>;
  state(): Promise<UpdatesState>;
  differenceSince(state: UpdatesState): Promise<Difference>;
  /** Marks the messages of somebody as read, up to a message. */
  markRead(peer: Addressee, messageId: number): Promise<void>;
  /** The session ends for ever. */
  logOut(): Promise<void>;
  close(): Promise<void>;
}

const stateOf = ({ pts, qts, date }: tl.updates.RawState): UpdatesState => ({ pts, qts, date });

/** Far enough back for one that was just sent. */
const lastMessages = 20;

/** The one live connection of a user account. */
export async function connectUser({ primaryDcs, authKey }: Session, app: App): Promise<UserConnection> {
  const connection = await connect(primaryDcs, authKey, app);
  const { call, close } = connection;
  return {
    ...transferOver(connection),
    async sendText(peer, { caption: message, ...rich }, randomId) {
      const sent = await call({
        _: 'messages.sendMessage',
        peer: { _: 'inputPeerUser', ...peer },
        message,
        ...rich,
        randomId,
      });
      if (sent._ === 'updateShortSentMessage') return sent.id;
      if (sent._ !== 'updates') return undefined;
      return sent.updates.find((update) => update._ === 'updateMessageID')?.id;
    },
    async lastSent(peer, isIt) {
      const history = await call({
        _: 'messages.getHistory',
        peer: { _: 'inputPeerUser', ...peer },
        ...{ offsetId: 0, offsetDate: 0, addOffset: 0, limit: lastMessages, maxId: 0, minId: 0, hash: Long.ZERO },
      });
      if (!('messages' in history)) return undefined;
      return history.messages.find((one) => one._ === 'message' && one.out && isIt(one))?.id;
    },
    async resolve(username) {
      const { peer, users } = await call({ _: 'contacts.resolveUsername', username });
      const user = users.find((one) => one._ === 'user' && peer._ === 'peerUser' && one.id === peer.userId);
      if (user?._ !== 'user' || user.accessHash === undefined) return undefined;
      return { userId: user.id, accessHash: user.accessHash };
    },
    async state() {
      return stateOf(await call({ _: 'updates.getState' }));
    },
    async differenceSince(state) {
      const told = await call({ _: 'updates.getDifference', ...state });
      switch (told._) {
        case 'updates.differenceTooLong':
          return { kind: 'too-long' };
        case 'updates.differenceEmpty': {
          const nothing = { messages: [], updates: [], users: [] };
          return { kind: 'told', ...nothing, state: { ...state, date: told.date }, isMore: false };
        }
        default: {
          const isMore = told._ === 'updates.differenceSlice';
          const { newMessages: messages, otherUpdates: updates, users } = told;
          const reached = stateOf(told._ === 'updates.differenceSlice' ? told.intermediateState : told.state);
          return { kind: 'told', messages, updates, users, state: reached, isMore };
        }
      }
    },
    async markRead(peer, maxId) {
      await call({ _: 'messages.readHistory', peer: { _: 'inputPeerUser', ...peer }, maxId });
    },
    async logOut() {
      await call({ _: 'auth.logOut' });
    },
    close,
  };
}
