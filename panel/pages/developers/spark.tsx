import type { paths } from '../../api/schema.ts';
import { api } from '../../app/api.ts';
import { count, percent } from '../../app/show.ts';
import { t } from '../../app/texts.ts';

export type Day =
  paths['/panel/webhooks/days']['get']['responses'][200]['content']['application/json']['items'][number];

/** Reads how the attempts of the last 24 hours went, by endpoint. */
export async function loadDays(signal: AbortSignal): Promise<ReadonlyMap<number, Day>> {
  const { items } = await api.get('/panel/webhooks/days', { signal });
  return new Map(items.map((day) => [day.endpointId, day]));
}

const height = 20;
const room = 4;

/** The last 24 hours of an endpoint: how many attempts succeeded, how long they took, and a bar for each hour. */
export function LastDay({ day }: { day: Day | undefined }) {
  const made = day ? day.succeeded + day.failed : 0;
  if (!day || made === 0) return <>–</>;
  const highest = Math.max(...day.hours.map(({ succeeded, failed }) => succeeded + failed));
  return (
    <>
      <svg
        class="spark"
        role="img"
        aria-label={t.developers.anHourOf(count(day.succeeded), count(day.failed))}
        viewBox={`0 0 ${day.hours.length * room} ${height}`}
        width={day.hours.length * room}
        height={height}
      >
        {day.hours.map(({ at, succeeded, failed }, index) => {
          const [good, bad] = [succeeded, failed].map((of) => (of / highest) * height) as [number, number];
          return (
            <g key={at}>
              <rect class="good" x={index * room} y={height - good} width={room - 1} height={good} />
              <rect class="bad" x={index * room} y={height - good - bad} width={room - 1} height={bad} />
            </g>
          );
        })}
      </svg>
      <p class="hint">
        {t.developers.succeeded(percent(day.succeeded / made))}
        {day.p95Ms !== null && `, ${t.developers.p95(count(day.p95Ms))}`}
      </p>
    </>
  );
}
