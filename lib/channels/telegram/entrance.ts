import { type CodeWay, digitsOf, type LoggedIn } from '#lib/entities/login.ts';

/** Fields by which Telegram knows a login. */
export interface Ticket {
  phone: string;
  phoneCodeHash: string;
  session: string;
}

/** Result of entering a code or a password. */
export type Entered =
  | { kind: 'in'; session: string; user: LoggedIn }
  | { kind: 'password'; session: string; hint: string | null }
  | { kind: 'wrong' }
  /** Nothing can be entered any more. */
  | { kind: 'over'; why: string };

/** Where people log in. */
export interface Entrance {
  sendCode(phone: string): Promise<{ ticket: Ticket; sentBy: CodeWay }>;
  enterCode(ticket: Ticket, code: string): Promise<Entered>;
  enterPassword(ticket: Ticket, password: string): Promise<Entered>;
}

/** Stands in for Telegram in the test environment (contract 22.1): nobody is asked, and everybody has a password. */
export const sandboxEntrance: Entrance = {
  sendCode: async (phone) => ({ ticket: { phone, phoneCodeHash: '', session: 'sandbox' }, sentBy: 'app' }),
  enterCode: async (_, code) =>
    code === '00000' ? { kind: 'password', session: 'sandbox', hint: 'test' } : { kind: 'wrong' },
  enterPassword: async ({ phone }, password) => {
    if (password !== 'test') return { kind: 'wrong' };
    const user = { userId: digitsOf(phone), name: 'Sandbox user', username: null, state: null };
    return { kind: 'in', session: 'sandbox', user };
  },
};
