import { defaultZone } from '#lib/core/zone.ts';

/** Names of what waits for a member, beginning with what has waited longest. */
export interface Waiting {
  mine: readonly string[];
  nobodys: readonly string[];
  overdue: readonly string[];
  today: readonly string[];
  /** There is more than was looked at. */
  hasMore: boolean;
}

interface Texts {
  subject(workspace: string | null, count: string): string;
  /** Headings of what waits, by how many there are. */
  one: Record<keyof Omit<Waiting, 'hasMore'>, string>;
  many: Record<keyof Omit<Waiting, 'hasMore'>, string>;
  more(count: number): string;
  open: string;
  why(hour: string, zone: string): string;
}

const texts: Record<'en' | 'de', Texts> = {
  en: {
    subject: (workspace, count) => `${workspace ?? 'CRM'}: ${count} waiting for you`,
    one: {
      mine: '1 conversation of yours waits for an answer',
      nobodys: '1 conversation of nobody waits for an answer',
      overdue: '1 task of yours is overdue',
      today: '1 task of yours is due today',
    },
    many: {
      mine: 'conversations of yours wait for an answer',
      nobodys: 'conversations of nobody wait for an answer',
      overdue: 'tasks of yours are overdue',
      today: 'tasks of yours are due today',
    },
    more: (count) => `and ${count} more`,
    open: 'Open the panel:',
    why: (hour, zone) => `You get this mail on working days at ${hour} (${zone}). Change it in your settings:`,
  },
  de: {
    subject: (workspace, count) => `${workspace ?? 'CRM'}: ${count} offen für Sie`,
    one: {
      mine: '1 Unterhaltung von Ihnen wartet auf Antwort',
      nobodys: '1 Unterhaltung von niemandem wartet auf Antwort',
      overdue: '1 Aufgabe von Ihnen ist überfällig',
      today: '1 Aufgabe von Ihnen ist heute fällig',
    },
    many: {
      mine: 'Unterhaltungen von Ihnen warten auf Antwort',
      nobodys: 'Unterhaltungen von niemandem warten auf Antwort',
      overdue: 'Aufgaben von Ihnen sind überfällig',
      today: 'Aufgaben von Ihnen sind heute fällig',
    },
    more: (count) => `und ${count} weitere`,
    open: 'Panel öffnen:',
    why: (hour, zone) =>
      `Sie bekommen diese Mail an Werktagen um ${hour} (${zone}). Ändern Sie das in Ihren Einstellungen:`,
  },
};

const kinds = ['mine', 'nobodys', 'overdue', 'today'] as const;
const maxNames = 5;

interface Reader {
  language: string | null;
  timeZone: string | null;
  notifications: { mailHour: number | null };
  /** The address of the panel. */
  base: string;
  workspace: string | null;
}

/** Returns the mail that says what waits for a member, in their language, else in English. */
export function digestText(waiting: Waiting, { language, timeZone, notifications, base, workspace }: Reader) {
  const words = texts[/^de\b/.test(language ?? '') ? 'de' : 'en'];
  const total = kinds.reduce((sum, kind) => sum + waiting[kind].length, 0);
  const parts = kinds
    .filter((kind) => waiting[kind].length > 0)
    .map((kind) => {
      const names = waiting[kind];
      const heading = names.length === 1 ? words.one[kind] : `${names.length} ${words.many[kind]}`;
      const others = names.length - maxNames;
      const lines = [...names.slice(0, maxNames), ...(others > 0 ? [words.more(others)] : [])];
      return [`${heading}:`, ...lines.map((line) => `- ${line}`)].join('\n');
    });
  const hour = `${String(notifications.mailHour).padStart(2, '0')}:00`;
  const footer = `${words.why(hour, timeZone ?? defaultZone)} ${base}/panel/#/settings/you`;
  return {
    subject: words.subject(workspace, waiting.hasMore ? `${total}+` : String(total)),
    text: `${[...parts, `${words.open} ${base}/panel/`, footer].join('\n\n')}\n`,
  };
}
