/** How the ids of the events of a change begin, by when this tab learned that it was made. */
const answeredAt = new Map<string, number>();
const kept = 100;

/** Notes a change of this tab, by the header `X-Events` of its answer. */
export function noteChange(answer: Response): void {
  const prefix = answer.headers.get('X-Events');
  if (prefix === null) return;
  answeredAt.set(prefix, performance.now());
  for (const oldest of answeredAt.keys()) {
    if (answeredAt.size <= kept) return;
    answeredAt.delete(oldest);
  }
}

/** Returns whether an event is of a change that was answered before a time: what was read after that has it. */
export function isOfOwnChange({ id }: { id: string }, before: number): boolean {
  const [prefix = ''] = /^evt_[0-9a-f]{32}/.exec(id) ?? [];
  const at = answeredAt.get(prefix);
  return at !== undefined && at <= before;
}
