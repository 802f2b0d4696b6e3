import { useId } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import {
  dayIn,
  isRelative,
  type Span,
  spanOf,
  spanText,
  starts,
  timeOfDay,
  timeText,
  type Unit,
  units,
} from './times.ts';

interface TimeFieldProps {
  label: string;
  dateLabel: string;
  value: unknown;
  isDay: boolean;
  /** It ends a range: a date means its last moment. */
  isEnd?: boolean;
  onChange(value: unknown): void;
}

const usual: Span = { amount: 30, unit: 'd', isPast: true };

/** A time of a filter: a date, so many days ago or from now, or the start of a week, a month, or a year. */
export function TimeField({ label, dateLabel, value, isDay, isEnd = false, onChange }: TimeFieldProps) {
  const id = useId();
  const span = spanOf(value);
  const way = span ? (span.isPast ? 'ago' : 'ahead') : isRelative(value) ? String(value) : 'date';
  const choose = (to: string) => {
    if (to === 'date') onChange(undefined);
    else if (to === 'ago' || to === 'ahead') onChange(spanText({ ...(span ?? usual), isPast: to === 'ago' }));
    else onChange(to);
  };
  const offered: readonly string[] = starts;
  const ways = way === 'date' || span || offered.includes(way) ? offered : [way, ...offered];
  return (
    <div class="time-field">
      <div class="field">
        <label for={id}>{label}</label>
        <select
          id={id}
          data-first={isEnd ? undefined : true}
          value={way}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          <option value="date">{t.filters.aDate}</option>
          <option value="ago">{t.filters.ago}</option>
          <option value="ahead">{t.filters.ahead}</option>
          {ways.map((one) => (
            <option key={one} value={one}>
              {timeText(one, isDay)}
            </option>
          ))}
        </select>
      </div>
      {way === 'date' && (
        <div class="field">
          <label for={`${id}-date`}>{dateLabel}</label>
          <input
            id={`${id}-date`}
            type="date"
            value={dayIn(value, isDay)}
            onChange={({ currentTarget }) => onChange(timeOfDay(currentTarget.value, isDay, isEnd))}
          />
        </div>
      )}
      {span && (
        <>
          <div class="field">
            <label for={`${id}-amount`}>{t.filters.number}</label>
            <input
              id={`${id}-amount`}
              type="number"
              min={0}
              max={99_999}
              step={1}
              value={span.amount}
              onInput={({ currentTarget: { valueAsNumber: amount } }) => {
                if (Number.isInteger(amount) && amount >= 0 && amount <= 99_999)
                  onChange(spanText({ ...span, amount }));
              }}
            />
          </div>
          <div class="field">
            <label for={`${id}-unit`}>{t.filters.unit}</label>
            <select
              id={`${id}-unit`}
              value={span.unit}
              onChange={({ currentTarget }) => onChange(spanText({ ...span, unit: currentTarget.value as Unit }))}
            >
              {units.map((unit) => (
                <option key={unit} value={unit}>
                  {t.filters.spans[unit].other}
                </option>
              ))}
            </select>
          </div>
        </>
      )}
    </div>
  );
}
