/** Until when deals are to close. */
export const closings = ['overdue', 'week', 'month', 'quarter'] as const;

/** The first day after a choice of `closings`, from today on. */
export function closesBefore(closing: string | undefined, today: string): string | undefined {
  const day = new Date(`${today}T00:00:00.000Z`);
  switch (closing) {
    case 'overdue':
      break;
    case 'week':
      day.setUTCDate(day.getUTCDate() + 7 - ((day.getUTCDay() + 6) % 7));
      break;
    case 'month':
      day.setUTCMonth(day.getUTCMonth() + 1, 1);
      break;
    case 'quarter':
      day.setUTCMonth(day.getUTCMonth() + 3 - (day.getUTCMonth() % 3), 1);
      break;
    default:
      return undefined;
  }
  return day.toISOString();
}
